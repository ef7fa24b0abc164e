import type { KnativeCondition, KubeObject } from '@tektite/meta';
import { dynamicKind, type Kind } from '@tektite/schema';

/** A PipelineRun or a TaskRun, as far as its pruning goes. */
export interface PrunedRun extends KubeObject {
  readonly status?: {
    readonly conditions?: readonly KnativeCondition[];
    readonly completionTime?: string;
  };
}

export type RunKindName = 'PipelineRun' | 'TaskRun';

const run = (kind: RunKindName): Kind<PrunedRun> =>
  dynamicKind<PrunedRun>({
    group: 'tekton.dev',
    version: 'v1',
    kind,
    plural: `${kind.toLowerCase()}s`,
    scope: 'Namespaced',
  });

/** The kinds that are pruned, and the label that says what a run is a run of. */
export const runKinds = {
  PipelineRun: { kind: run('PipelineRun'), nameLabel: 'tekton.dev/pipeline', rules: 'pipelineRuns' },
  TaskRun: { kind: run('TaskRun'), nameLabel: 'tekton.dev/task', rules: 'taskRuns' },
} as const;

/** How a run ended; nothing while it has not. */
export function endOf({ status }: PrunedRun): 'succeeded' | 'failed' | undefined {
  if (!status?.completionTime) return undefined;
  const outcome = status.conditions?.find(({ type }) => type === 'Succeeded')?.status;
  if (outcome === 'True') return 'succeeded';
  return outcome === 'False' ? 'failed' : undefined;
}

/** TaskRuns of a PipelineRun go with it. */
export function isPartOfAnother({ metadata }: PrunedRun): boolean {
  return (metadata.ownerReferences ?? []).some(({ kind }) => kind === 'PipelineRun');
}
