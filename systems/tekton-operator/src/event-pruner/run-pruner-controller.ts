import { type Client, kinds, mergePatch, ignoreNotFound } from '@tektite/client';
import {
  cached,
  type ControllerDefinition,
  defineController,
  mapped,
  requeueAfter,
  type Result,
} from '@tektite/controller';
import { project } from '@tektite/controller/cache';
import type { Kind } from '@tektite/schema';
import type { ConfigMap } from '@tektite/schema/kubernetes';
import { decidePruning } from './decide-pruning.ts';
import { endOf, type PrunedRun, type RunKindName, runKinds } from './pruned-run.ts';
import { globalConfigName, namespaceConfigName, readPrunerSettings } from './pruner-settings.ts';

/** Follows runs of one kind, and deletes those that are old or too many. */
export function runPrunerController(name: RunKindName, systemNamespace: string): ControllerDefinition {
  const { kind } = runKinds[name];
  const settingsMaps = mapped(
    kinds.ConfigMap,
    ({ metadata }, own) => {
      if (metadata.name === globalConfigName && metadata.namespace === systemNamespace) return own.keys();
      if (metadata.name !== namespaceConfigName) return [];
      return [...own.keys()].filter((key) => key.startsWith(`${metadata.namespace}/`));
    },
    // Of all others nothing is kept.
    { transform: settingsOnly, indexes: { settings: settingsIndex } },
  );
  const transform = whatCounts(kind) as never;
  const runs = cached<PrunedRun>(kind, { transform });
  return defineController<PrunedRun>({
    name: `pruner-${name.toLowerCase()}`,
    kind,
    transform,
    sources: [settingsMaps, runs],
    async reconcile(run, { client, cache, clock, signal }): Promise<Result | undefined> {
      if (!endOf(run)) return undefined;
      const maps = cache(settingsMaps).byIndex('settings', 'all') as readonly ConfigMap[];
      const { deletes, annotation, requeueMs } = decidePruning({
        run,
        kind: name,
        settings: readPrunerSettings(maps, systemNamespace),
        others: () => cache(runs).list(run.metadata.namespace),
        now: clock.now(),
      });
      const request = { client, kind, signal };
      for (const old of deletes ?? []) await deleteRun(old, request);
      if (annotation) await annotate(run, annotation, request);
      return requeueMs === undefined ? undefined : requeueAfter(requeueMs);
    },
  });
}

interface RunRequest {
  readonly client: Client;
  readonly kind: Kind<PrunedRun>;
  readonly signal: AbortSignal;
}

async function annotate(
  run: PrunedRun,
  { key, value }: { readonly key: string; readonly value: string | null },
  { client, kind, signal }: RunRequest,
): Promise<void> {
  const patch = mergePatch({ metadata: { annotations: { [key]: value } } });
  await client.patch(kind, keyOf(run), patch, { signal }).catch(ignoreNotFound);
}

async function deleteRun(run: PrunedRun, { client, kind, signal }: RunRequest): Promise<void> {
  const { uid } = run.metadata;
  const options = { signal, ...(uid ? { preconditions: { uid } } : {}) };
  await client.delete(kind, keyOf(run), options).catch(ignoreNotFound);
}

const keyOf = ({ metadata }: PrunedRun) => ({ namespace: metadata.namespace ?? '', name: metadata.name ?? '' });

const settingsIndex = ({ metadata }: { readonly metadata: { readonly name?: string } }) =>
  isSettings(metadata.name) ? ['all'] : [];
const isSettings = (name: string | undefined) => name === globalConfigName || name === namespaceConfigName;

function settingsOnly(map: ConfigMap): ConfigMap {
  const { apiVersion, kind, metadata, data } = map;
  const { name, namespace, uid, resourceVersion } = metadata;
  const kept = { name, namespace, uid, resourceVersion } as ConfigMap['metadata'];
  return { apiVersion, kind, metadata: kept, ...(isSettings(name) && data ? { data } : {}) };
}

function whatCounts(kind: Kind<PrunedRun>) {
  return project(kind, {
    metadata: {
      labels: true,
      annotations: true,
      ownerReferences: true,
      creationTimestamp: true,
      deletionTimestamp: true,
    },
    status: { conditions: true, completionTime: true },
  } as never);
}
