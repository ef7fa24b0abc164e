import type { PrunerSettings } from '../kinds/pruner-fields.ts';

/** Namespaces of the cluster itself: nothing of the operator's is done in them. */
export function isClusterNamespace(name: string): boolean {
  return (
    /^(openshift|kube)-/.test(name) ||
    name === 'dedicated-admin' ||
    name === 'open-cluster-management-agent' ||
    name === 'open-cluster-management-agent-addon'
  );
}

/** How runs of one namespace are pruned. */
export interface PruneConfig {
  readonly schedule: string;
  readonly namespace: string;
  readonly keep?: number;
  readonly keepSince?: number;
  readonly resources: readonly string[];
  readonly perResource: boolean;
}

interface PrunedNamespace {
  readonly metadata: { readonly name?: string; readonly annotations?: Readonly<Record<string, string>> };
}

const resourceNames: Readonly<Record<string, string>> = {
  pipelineruns: 'pipelinerun',
  pipelinerun: 'pipelinerun',
  pr: 'pipelinerun',
  taskruns: 'taskrun',
  taskrun: 'taskrun',
  tr: 'taskrun',
};

/**
 * The settings with the namespace's annotations, which win. Nothing when the namespace is skipped, or its annotations
 * are invalid.
 */
export function pruneConfigOf({ metadata }: PrunedNamespace, settings: PrunerSettings): PruneConfig | undefined {
  const { name = '', annotations = {} } = metadata;
  const text = (key: string) => annotations[`operator.tekton.dev/prune.${key}`]?.trim().toLowerCase();
  if (isClusterNamespace(name) || text('skip') === 'true') return undefined;
  const schedule = text('schedule') ?? settings.schedule ?? '';
  if (!schedule) return undefined;
  const counts = keptRuns(annotations, settings, text('strategy') ?? '');
  const resources = prunedResources(text('resources'), settings);
  if (!counts || resources.length === 0) return undefined;
  return {
    schedule,
    namespace: name,
    ...counts,
    resources,
    perResource: text('prune-per-resource')
      ? text('prune-per-resource') === 'true'
      : (settings['prune-per-resource'] ?? false),
  };
}

function keptRuns(
  annotations: Readonly<Record<string, string>>,
  settings: PrunerSettings,
  strategy: string,
): Pick<PruneConfig, 'keep' | 'keepSince'> | undefined {
  const { 'keep-since': sinceSetting } = settings;
  const keepSetting = settings.keep === undefined && sinceSetting === undefined ? 100 : settings.keep;
  const keep = strategy === '' || strategy === 'keep' ? numberOf(annotations, 'keep', keepSetting) : undefined;
  const since =
    strategy === '' || strategy === 'keep-since' ? numberOf(annotations, 'keep-since', sinceSetting) : undefined;
  if (keep === 'invalid' || since === 'invalid' || keep === 0 || since === 0) return undefined;
  if (keep === undefined && since === undefined) return undefined;
  return { ...(keep === undefined ? {} : { keep }), ...(since === undefined ? {} : { keepSince: since }) };
}

/** Unlike texts, numbers are read as they stand: a space makes them invalid. */
function numberOf(
  annotations: Readonly<Record<string, string>>,
  key: string,
  standard: number | undefined,
): number | 'invalid' | undefined {
  const text = annotations[`operator.tekton.dev/prune.${key}`];
  if (text === undefined) return standard;
  return /^[0-9]+$/.test(text) && Number(text) <= 0xffff_ffff ? Number(text) : 'invalid';
}

function prunedResources(text: string | undefined, settings: PrunerSettings): readonly string[] {
  const given = text ? text.split(',') : settings.resources?.length ? settings.resources : ['pipelinerun'];
  return given
    .map((name) => name.trim().toLowerCase())
    .flatMap((name) => (Object.hasOwn(resourceNames, name) ? [resourceNames[name] as string] : []))
    .sort();
}

/** The configurations of each schedule, in the order of their namespaces. */
export function groupBySchedule(configs: readonly PruneConfig[]): ReadonlyMap<string, readonly PruneConfig[]> {
  const groups = new Map<string, PruneConfig[]>();
  for (const config of configs) groups.set(config.schedule, [...(groups.get(config.schedule) ?? []), config]);
  for (const group of groups.values()) group.sort((a, b) => (a.namespace < b.namespace ? -1 : 1));
  return groups;
}

/** The list that the script of a CronJob works through: `namespace;flags;resources;perResource`, with spaces between them. */
export function pruneList(configs: readonly PruneConfig[]): string {
  return configs
    .map(({ namespace, keep, keepSince, resources, perResource }) => {
      const flags = [
        ...(keep === undefined ? [] : [`--keep=${keep}`]),
        ...(keepSince === undefined ? [] : [`--keep-since=${keepSince}`]),
      ];
      return `${namespace};${flags.join(',')};${resources.join(',')};${perResource}`;
    })
    .join(' ');
}
