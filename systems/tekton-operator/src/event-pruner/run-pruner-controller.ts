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
import { formatTime } from '@tektite/meta';
import type { Kind } from '@tektite/schema';
import type { ConfigMap } from '@tektite/schema/kubernetes';
import { historyLimit, prunerAnnotations, type PrunerSettings, timeToLive, tooMany } from './prune-limits.ts';
import { endOf, isPartOfAnother, type PrunedRun, type RunKindName, runKinds } from './pruned-run.ts';
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
      const end = endOf(run);
      if (!end || run.metadata.deletionTimestamp || isPartOfAnother(run)) return undefined;
      const maps = cache(settingsMaps).byIndex('settings', 'all') as readonly ConfigMap[];
      const settings = readPrunerSettings(maps, systemNamespace);
      const step = { client, kind, signal };
      if (await applyTimeToLive(run, name, settings, step)) return undefined;
      if (run.metadata.annotations?.[prunerAnnotations.processed] === undefined) {
        const others = cache(runs).list(run.metadata.namespace);
        const limit = historyLimit(run, name, end, settings);
        for (const old of tooMany(others, name, end, limit, endOf)) await remove(old, step);
        await annotate(run, prunerAnnotations.processed, formatTime(clock.now()), step);
        return undefined;
      }
      const ttl = timeToLive(run, name, settings);
      if (ttl === undefined) return undefined;
      const due = Date.parse(run.status?.completionTime ?? '') + ttl * 1000;
      if (due > clock.now()) return requeueAfter(due - clock.now());
      await remove(run, step);
      return undefined;
    },
  });
}

interface Step {
  readonly client: Client;
  readonly kind: Kind<PrunedRun>;
  readonly signal: AbortSignal;
}

/** Writes the annotation with the TTL of a run. Resolves with whether it was changed. */
async function applyTimeToLive(
  run: PrunedRun,
  name: RunKindName,
  settings: PrunerSettings,
  step: Step,
): Promise<boolean> {
  const ttl = timeToLive(run, name, settings);
  const before = run.metadata.annotations?.[prunerAnnotations.ttl];
  const after = ttl === undefined ? undefined : String(ttl);
  if (before === after) return false;
  await annotate(run, prunerAnnotations.ttl, after ?? null, step);
  return true;
}

async function annotate(
  run: PrunedRun,
  key: string,
  value: string | null,
  { client, kind, signal }: Step,
): Promise<void> {
  const patch = mergePatch({ metadata: { annotations: { [key]: value } } });
  await unlessGone(client.patch(kind, keyOf(run), patch, { signal }));
}

async function remove(run: PrunedRun, { client, kind, signal }: Step): Promise<void> {
  const { uid } = run.metadata;
  await unlessGone(client.delete(kind, keyOf(run), { signal, ...(uid ? { preconditions: { uid } } : {}) }));
}

const keyOf = ({ metadata }: PrunedRun) => ({ namespace: metadata.namespace ?? '', name: metadata.name ?? '' });

async function unlessGone(request: Promise<unknown>): Promise<void> {
  await request.catch(ignoreNotFound);
}

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
