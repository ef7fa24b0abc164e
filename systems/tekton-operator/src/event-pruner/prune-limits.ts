import type { PrunerGlobalConfig, PrunerNamespaceRules } from '../kinds/pruner-fields.ts';
import { type PrunedRun, type RunKindName, runKinds } from './pruned-run.ts';

/** The settings of the ConfigMaps: a global one, and one in each namespace with local settings. */
export interface PrunerSettings {
  readonly global: PrunerGlobalConfig;
  readonly namespaces: ReadonlyMap<string, PrunerNamespaceRules>;
}

export const prunerAnnotations = {
  ttl: 'pruner.tekton.dev/ttlSecondsAfterFinished',
  nameLabel: 'pruner.tekton.dev/resourceNameLabelKey',
  succeeded: 'pruner.tekton.dev/successfulHistoryLimit',
  failed: 'pruner.tekton.dev/failedHistoryLimit',
  processed: 'pruner.tekton.dev/historyLimitCheckProcessed',
} as const;

type ResourceRule = NonNullable<PrunerNamespaceRules['pipelineRuns']>[number];
type Selector = NonNullable<ResourceRule['selector']>[number];
type Level = 'global' | 'namespace' | 'resource';

/** A limit, and which runs it is for: all of a namespace, those of one Pipeline or Task, or those that a selector accepts. */
export interface FoundLimit {
  readonly limit: number | undefined;
  readonly among: { readonly name: string; readonly label: string } | { readonly selector: Selector } | undefined;
}

/** The limit and whose runs count for it. */
export function historyLimit(
  run: PrunedRun,
  kind: RunKindName,
  end: 'succeeded' | 'failed',
  settings: PrunerSettings,
): FoundLimit {
  const field = end === 'succeeded' ? 'successfulHistoryLimit' : 'failedHistoryLimit';
  return limitOf(run, kind, settings, (rules) => rules[field] ?? rules.historyLimit);
}

/** How long a run is kept after its end, in seconds. */
export function timeToLive(run: PrunedRun, kind: RunKindName, settings: PrunerSettings): number | undefined {
  return limitOf(run, kind, settings, (rules) => rules.ttlSecondsAfterFinished).limit;
}

type Limits = Omit<PrunerNamespaceRules, 'pipelineRuns' | 'taskRuns'>;

function limitOf(
  run: PrunedRun,
  kind: RunKindName,
  { global, namespaces }: PrunerSettings,
  read: (rules: Limits) => number | undefined,
): FoundLimit {
  const namespace = run.metadata.namespace ?? '';
  const named =
    global.namespaces && Object.hasOwn(global.namespaces, namespace) ? global.namespaces[namespace] : undefined;
  const all = { limit: read(global), among: undefined };
  switch (levelOf(global, named)) {
    case 'global':
      return all;
    case 'resource':
      return resourceLimit(run, kind, named, read) ?? (named ? { limit: read(named), among: undefined } : all);
    case 'namespace': {
      const own = namespaces.get(namespace);
      const found = resourceLimit(run, kind, own, read);
      if (found) return found;
      const limit = own ? read(own) : undefined;
      if (limit !== undefined) return { limit, among: undefined };
      return named ? { limit: read(named), among: undefined } : all;
    }
  }
}

/** The level that decides: upstream's pruner uses resources by default; the operator always sets it. */
function levelOf(global: PrunerGlobalConfig, named: PrunerNamespaceRules | undefined): Level {
  const level = named?.enforcedConfigLevel ?? global.enforcedConfigLevel;
  return level === 'global' || level === 'namespace' ? level : 'resource';
}

function resourceLimit(
  run: PrunedRun,
  kind: RunKindName,
  rules: PrunerNamespaceRules | undefined,
  read: (rules: Limits) => number | undefined,
): FoundLimit | undefined {
  const list = rules?.[runKinds[kind].rules] ?? [];
  const { name, label } = nameOf(run, kind);
  for (const rule of list) {
    const limit = rule.name !== undefined && rule.name !== '' && rule.name === name ? read(rule) : undefined;
    if (limit !== undefined) return { limit, among: { name, label } };
  }
  for (const rule of list)
    for (const selector of rule.selector ?? [])
      if (accepts(selector, run)) {
        const limit = read(rule);
        return limit === undefined ? undefined : { limit, among: { selector } };
      }
  return undefined;
}

/** The Pipeline or Task of a run. */
export function nameOf({ metadata }: PrunedRun, kind: RunKindName): { readonly name: string; readonly label: string } {
  const label = metadata.annotations?.[prunerAnnotations.nameLabel] ?? runKinds[kind].nameLabel;
  return { label, name: metadata.labels?.[label] ?? '' };
}

/** Whether a run has everything that a selector names. */
export function accepts({ matchLabels = {}, matchAnnotations = {} }: Selector, { metadata }: PrunedRun): boolean {
  const has = (all: Readonly<Record<string, string>> | undefined, wanted: Readonly<Record<string, string>>) =>
    Object.entries(wanted).every(([key, value]) => all?.[key] === value);
  return has(metadata.labels, matchLabels) && has(metadata.annotations, matchAnnotations);
}

/** The runs that are too many: of those that ended the same way, all but the newest. */
export function tooMany<T extends PrunedRun>(
  runs: readonly T[],
  kind: RunKindName,
  end: 'succeeded' | 'failed',
  { limit, among }: FoundLimit,
  endOfRun: (run: T) => 'succeeded' | 'failed' | undefined,
): readonly T[] {
  if (limit === undefined || limit < 0) return [];
  const counted = runs.filter((run) => {
    if (run.metadata.deletionTimestamp || endOfRun(run) !== end) return false;
    if (!among) return true;
    if ('selector' in among) return accepts(among.selector, run);
    return nameOf(run, kind).name === among.name;
  });
  const newestFirst = counted.toSorted((a, b) => {
    const [first, second] = [a.metadata.creationTimestamp ?? '', b.metadata.creationTimestamp ?? ''];
    return first === second ? ((a.metadata.name ?? '') < (b.metadata.name ?? '') ? 1 : -1) : first < second ? 1 : -1;
  });
  return newestFirst.slice(limit);
}
