import type { Client } from '@tektite/client';
import {
  cached,
  type Channel,
  type ControllerDefinition,
  defineController,
  mapped,
  type ReconcileContext,
  requeueAfter,
  type Result,
  anyOf,
  generationChanged,
  labelsChanged,
  type SourceCache,
} from '@tektite/controller';
import { installSet, removeSet } from '@tektite/installer';
import { type DynamicObject, findCondition, formatTime, isConditionTrue } from '@tektite/meta';
import { installManifestFinalizer, installManifestName, keys, manifestTypes } from '../../connector-keys.ts';
import { manifestTypeOf } from '../../kinds/manifest-type.ts';
import { Connector } from '../../kinds/connector.ts';
import { InstallManifest } from '../../kinds/install-manifest.ts';
import type { RenderedSet } from '../../render/render-connector.ts';
import { RenderFailure } from '../../render-failure.ts';
import type { Renderer } from '../../render/renderer.ts';
import { InstalledKinds } from './installed-kinds.ts';
import { type Content, contentOf } from './manifest-content.ts';
import { type InUse, manifestDialect } from './manifest-dialect.ts';
import { ManifestStatus, notReady } from './manifest-status.ts';

export interface ManifestControllerOptions {
  readonly renderer: Renderer;
  /** Enqueues Connectors whose InstallManifests have drifted. */
  readonly nudges: Channel;
  /** Default: as many as the manager says. */
  readonly workers?: number;
  readonly requeueMs: number;
}

/** The InstallManifests of a Connector by its labels. */
const holder = 'holder';
const holderOf = ({ metadata }: Pick<InstallManifest, 'metadata'>): string =>
  `${metadata.labels?.[keys.connectorNamespace] ?? ''}/${metadata.labels?.[keys.connectorName] ?? ''}`;

const connectors = cached(Connector);
const manifests = mapped(
  InstallManifest,
  // Those that wait for this one have the same beginning.
  ({ metadata: { name = '' } }) => (name.endsWith('-static') ? [name.replace(/-static$/, '-deployment')] : []),
  { indexes: { [holder]: (manifest) => [holderOf(manifest)] } },
);

/** Makes the cluster have what InstallManifests say. */
export function installManifestController(options: ManifestControllerOptions): ControllerDefinition {
  const installed = new InstalledKinds(({ metadata }) => {
    const { [keys.connectorNamespace]: namespace = '', [keys.connectorName]: name = '' } = metadata.labels ?? {};
    return manifestTypes.map((type) => installManifestName({ namespace, name }, type));
  });
  return defineController<InstallManifest>({
    name: 'install-manifests',
    kind: InstallManifest,
    sources: [connectors, manifests, installed],
    predicate: anyOf(generationChanged(), labelsChanged()),
    ...(options.workers === undefined ? {} : { concurrency: options.workers }),
    backoff: { firstMs: 1_000, maxMs: 120_000 },
    finalizer: {
      name: installManifestFinalizer,
      cleanup: async (manifest, { client, signal, cache }) => {
        const { spec, status } = manifest;
        const objects = spec.manifests.filter(isNamed);
        const inventory = status?.inventory ?? [];
        const dialect = manifestDialect(inUse(cache(manifests)));
        return (await removeSet(client, { self: manifest, objects, inventory }, dialect, { signal })).result;
      },
    },
    reconcile: (manifest, context) => reconcile(manifest, context, options, installed),
  });
}

function isNamed(object: DynamicObject): boolean {
  return Boolean(object.kind && object.apiVersion && object.metadata?.name);
}

function inUse(cache: SourceCache<InstallManifest>): InUse {
  return (namespace, name) => cache.byIndex(holder, `${namespace}/${name}`).length > 0;
}

async function reconcile(
  manifest: InstallManifest,
  context: ReconcileContext,
  options: ManifestControllerOptions,
  installed: InstalledKinds,
): Promise<Result> {
  const { client, cache, clock, signal, event } = context;
  const status = new ManifestStatus(client, manifest, signal);
  const generation = manifest.metadata.generation ?? 0;
  const before = findCondition(status.now.conditions, 'Ready');
  const writeConditions = async (conditions: NonNullable<InstallManifest['status']>['conditions']): Promise<void> => {
    const ready = findCondition(conditions, 'Ready');
    await status.write({ ...status.facts(), conditions: conditions ?? [] });
    // That one waits for the other is how it should be.
    const usual = ready?.reason === 'WaitingForDependency';
    if (ready && !usual && ready.reason !== before?.reason && ready.status !== 'Unknown')
      event({
        type: ready.status === 'True' ? 'Normal' : 'Warning',
        reason: ready.reason ?? ready.status,
        message: ready.message || 'everything is installed',
      });
  };
  const hold = async (why: { readonly reason: string; readonly message: string }): Promise<Result> => {
    await writeConditions(notReady(status.now.conditions ?? [], why, formatTime(clock.now()), generation));
    return requeueAfter(options.requeueMs);
  };

  const waitsFor = unready(manifest, cache(manifests));
  if (waitsFor) return hold({ reason: 'WaitingForDependency', message: `InstallManifest ${waitsFor} is not ready` });
  const content = await contentNow(manifest, context, options.renderer);
  if ('mismatch' in content) {
    const { connectorRef } = manifest.spec;
    if (connectorRef) options.nudges.send(`${connectorRef.namespace}/${connectorRef.name}`, 'RenderMismatch');
    return hold({ reason: 'RenderMismatch', message: content.mismatch });
  }
  const dialect = { ...manifestDialect(inUse(cache(manifests))), requeueMs: options.requeueMs };
  const inventory = status.now.inventory ?? [];
  const report = await installSet(client, { self: manifest, objects: content.objects, inventory }, dialect, {
    signal,
    saveInventory: (entries) => {
      installed.follow(entries);
      return status.write({ inventory: entries });
    },
  });
  installed.follow(report.inventory);
  const now = formatTime(clock.now());
  await writeConditions(dialect.conditions.update(status.now.conditions ?? [], report.phases, { now, generation }));
  return report.result;
}

/** The first InstallManifest that has to be ready and is not. */
function unready({ spec }: InstallManifest, cache: SourceCache<InstallManifest>): string | undefined {
  return (spec.dependsOn ?? []).find((name) => {
    const other = cache.get(name);
    if (!other || other.metadata.deletionTimestamp) return true;
    const { observedGeneration, conditions } = other.status ?? {};
    return observedGeneration !== other.metadata.generation || !isConditionTrue(conditions, 'Ready');
  });
}

async function contentNow(
  manifest: InstallManifest,
  { cache, client, signal }: ReconcileContext,
  renderer: Renderer,
): Promise<Content> {
  const recorded = contentOf(manifest, { problem: '' });
  if ('objects' in recorded) return recorded;
  const { connectorRef } = manifest.spec;
  const named = connectorRef ? `Connector ${connectorRef.namespace}/${connectorRef.name}` : 'its Connector';
  const connector = connectorRef && cache(connectors).get(`${connectorRef.namespace}/${connectorRef.name}`);
  if (!connector) return { mismatch: `${named} is not there` };
  if (connectorRef.uid && connector.metadata.uid !== connectorRef.uid)
    return { mismatch: `${named} is another one of the same name` };
  return contentOf(manifest, await renderedFor(manifest, connector, client, renderer, signal));
}

/** The cached rendering for it; otherwise the current rendering of the Connector. */
async function renderedFor(
  manifest: InstallManifest,
  connector: Connector,
  client: Client,
  renderer: Renderer,
  signal: AbortSignal,
): Promise<RenderedSet | { readonly problem: string }> {
  const type = manifestTypeOf(manifest);
  const hash = manifest.metadata.annotations?.[keys.hash] ?? '';
  const known = renderer.recall(connector.metadata.uid ?? '', type, hash);
  if (known) return known[type];
  try {
    return (await renderer.render(client, connector, signal))[type];
  } catch (error) {
    if (!(error instanceof RenderFailure)) throw error;
    return { problem: `${error.reason}: ${error.message}` };
  }
}
