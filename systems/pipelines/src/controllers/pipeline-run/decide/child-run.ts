import type { CachedCustomRun, CachedPipelineRun, CachedTaskRun } from '../../../cache/cache-transforms.ts';
import { type ConditionedStatus, succeededCondition } from '../../../conditions/succeeded-condition.ts';
import type { RunCondition } from '../../../kinds/run-status.ts';

/** A run that a PipelineRun started for one of its tasks, as caches have it. */
export type ChildRun = CachedTaskRun | CachedCustomRun | CachedPipelineRun;

export type ChildKind = 'TaskRun' | 'CustomRun' | 'PipelineRun';

/** The status messages of children that their PipelineRun ends. */
export const cancelMessages = {
  TaskRun: {
    cancelled: 'TaskRun cancelled as the PipelineRun it belongs to has been cancelled.',
    timedOut: 'TaskRun cancelled as the PipelineRun it belongs to has timed out.',
  },
  CustomRun: {
    cancelled: 'CustomRun cancelled as the PipelineRun it belongs to has been cancelled.',
    timedOut: 'CustomRun cancelled as the PipelineRun it belongs to has timed out.',
  },
} as const;

const cancelledReasons: Readonly<Record<string, string>> = {
  TaskRun: 'TaskRunCancelled',
  CustomRun: 'CustomRunCancelled',
};

export function conditionOf({ status }: ChildRun): RunCondition | undefined {
  return succeededCondition(status as ConditionedStatus | undefined);
}

export const hasSucceeded = (run: ChildRun): boolean => conditionOf(run)?.status === 'True';
export const hasFailed = (run: ChildRun): boolean => conditionOf(run)?.status === 'False';
export const isOver = (run: ChildRun): boolean => (conditionOf(run)?.status ?? 'Unknown') !== 'Unknown';

/** Child PipelineRuns never count as cancelled: upstream does not check them here. */
export function wasCancelled(run: ChildRun): boolean {
  const condition = conditionOf(run);
  return condition?.status === 'False' && condition.reason === cancelledReasons[run.kind ?? ''];
}

/** Cancelled because the timeout of its PipelineRun expired. */
export function wasTimedOut(run: ChildRun): boolean {
  const { statusMessage } = run.spec as { readonly statusMessage?: string };
  const message = run.kind === 'CustomRun' ? cancelMessages.CustomRun.timedOut : cancelMessages.TaskRun.timedOut;
  return wasCancelled(run) && statusMessage === message;
}
