import {
  anyOf,
  type Channel,
  type ControllerDefinition,
  defineController,
  generationChanged,
  labelsChanged,
  type ReconcileContext,
  requeueAfter,
  type Result,
} from '@tektite/controller';
import { InstalledObjects, installSet, removeSet } from '@tektite/installer';
import { type DynamicObject, formatTime } from '@tektite/meta';
import { installManifestFinalizer, keys, operatorName } from '../../connector-keys.ts';
import { InstallManifest } from '../../kinds/install-manifest.ts';
import type { Renderer } from '../../render/renderer.ts';
import { objectRecreated, readyEvent, unreadyDependency } from './decide.ts';
import { manifestDialect, recreatedText } from './manifest-dialect.ts';
import { ManifestStatus, notReady } from './manifest-status.ts';
import { manifestSources, observeContent, observeDependencies, observeUse } from './observe.ts';

export interface ManifestControllerOptions {
  readonly renderer: Renderer;
  /** Enqueues Connectors whose InstallManifests have drifted. */
  readonly nudges: Channel;
  /** Default: as many as the manager says. */
  readonly workers?: number;
  readonly requeueMs: number;
}

/** Makes the cluster have what InstallManifests say. */
export function installManifestController(options: ManifestControllerOptions): ControllerDefinition {
  // Rights may be given for all namespaces of a kind; the label keeps the objects of others out of the cache.
  const selection = { labelSelector: `${keys.managedBy}=${operatorName}` };
  const installed = new InstalledObjects({ selection: () => selection });
  return defineController<InstallManifest>({
    name: 'install-manifests',
    kind: InstallManifest,
    sources: [...Object.values(manifestSources), installed],
    predicate: anyOf(generationChanged(), labelsChanged()),
    ...(options.workers === undefined ? {} : { concurrency: options.workers }),
    backoff: { firstMs: 1_000, maxMs: 120_000 },
    finalizer: {
      name: installManifestFinalizer,
      cleanup: async (manifest, { client, signal, cache }) => {
        const { spec, status } = manifest;
        const objects = spec.manifests.filter(isNamed);
        const inventory = status?.inventory ?? [];
        const dialect = manifestDialect(observeUse({ cache }));
        return (await removeSet(client, { self: manifest, objects, inventory }, dialect, { signal })).result;
      },
    },
    reconcile: (manifest, context) => reconcile(manifest, context, options, installed),
    gone: (key) => installed.forget(key),
  });
}

function isNamed(object: DynamicObject): boolean {
  return Boolean(object.kind && object.apiVersion && object.metadata?.name);
}

async function reconcile(
  manifest: InstallManifest,
  context: ReconcileContext,
  options: ManifestControllerOptions,
  installed: InstalledObjects,
): Promise<Result> {
  const { client, clock, signal, event, key } = context;
  const status = new ManifestStatus(client, manifest, signal);
  const generation = manifest.metadata.generation ?? 0;
  const before = status.now.conditions;
  const writeConditions = async (conditions: NonNullable<InstallManifest['status']>['conditions']): Promise<void> => {
    await status.write({ ...status.facts(), conditions: conditions ?? [] });
    const change = readyEvent(before, conditions);
    if (change) event(change);
  };
  const hold = async (why: { readonly reason: string; readonly message: string }): Promise<Result> => {
    await writeConditions(notReady(status.now.conditions ?? [], why, formatTime(clock.now()), generation));
    return requeueAfter(options.requeueMs);
  };

  const waitsFor = unreadyDependency(observeDependencies(manifest, context));
  if (waitsFor) return hold({ reason: 'WaitingForDependency', message: `InstallManifest ${waitsFor} is not ready` });
  const content = await observeContent(manifest, context, options.renderer);
  if ('mismatch' in content) {
    const { connectorRef } = manifest.spec;
    if (connectorRef) options.nudges.send(`${connectorRef.namespace}/${connectorRef.name}`, 'RenderMismatch');
    return hold({ reason: 'RenderMismatch', message: content.mismatch });
  }
  const dialect = { ...manifestDialect(observeUse(context)), requeueMs: options.requeueMs };
  const inventory = status.now.inventory ?? [];
  installed.follow(key, inventory);
  const report = await installSet(client, { self: manifest, objects: content.objects, inventory }, dialect, {
    signal,
    saveInventory: (entries) => {
      installed.follow(key, entries);
      return status.write({ inventory: entries });
    },
  });
  for (const object of report.restored)
    event({ type: 'Warning', reason: objectRecreated, message: recreatedText(object) });
  const now = formatTime(clock.now());
  await writeConditions(dialect.conditions.update(status.now.conditions ?? [], report.phases, { now, generation }));
  return report.result;
}
