import { usesResults } from '../../../pipeline/result-reference.ts';
import { resolveResults } from './task-results.ts';
import type { PipelineFacts } from './facts.ts';
import type { TaskState } from './task-state.ts';
import { allowsExecution } from './when.ts';

/** Why a task was not run, in the words of the status. */
export const skipReasons = {
  stopping: 'PipelineRun was stopping',
  cancelled: 'PipelineRun was gracefully cancelled',
  stopped: 'PipelineRun was gracefully stopped',
  when: 'When Expressions evaluated to false',
  parents: 'Parent Tasks were skipped',
  results: 'Results were missing',
  pipelineTimeout: 'PipelineRun timeout has been reached',
  tasksTimeout: 'PipelineRun Tasks timeout has been reached',
  finallyTimeout: 'PipelineRun Finally timeout has been reached',
  emptyMatrix: 'Matrix Parameters have an empty array',
} as const;

export type SkipReason = (typeof skipReasons)[keyof typeof skipReasons];

/** Why a task is skipped that is not a final one. The first reason in this order counts. */
export function skipReason(state: TaskState, facts: PipelineFacts): SkipReason | undefined {
  if (state.isScheduled() || facts.isInvalid(state)) return undefined;
  if (facts.isStopping()) return skipReasons.stopping;
  if (facts.specStatus === 'CancelledRunFinally') return skipReasons.cancelled;
  if (facts.specStatus === 'StoppedRunFinally') return skipReasons.stopped;
  const parentsDone = facts.areParentsDone(state);
  if (parentsDone && !allowsExecution(state.task.when, state.celOutcomes)) return skipReasons.when;
  // Who was not run because of its own conditions does not keep others from it.
  const parentSkips = facts.parentsOf(state).map((parent) => facts.skipOf(parent));
  if (parentSkips.some((reason) => reason !== undefined && reason !== skipReasons.when)) return skipReasons.parents;
  if (!parentsDone) return isEmptyMatrix(state) ? skipReasons.emptyMatrix : undefined;
  if (areResultsMissing(state, facts)) return skipReasons.results;
  if (facts.stopwatch.isPipelineOver()) return skipReasons.pipelineTimeout;
  if (facts.stopwatch.areTasksOver()) return skipReasons.tasksTimeout;
  return isEmptyMatrix(state) ? skipReasons.emptyMatrix : undefined;
}

/** Why a final task is skipped. */
export function skipFinalReason(state: TaskState, facts: PipelineFacts): SkipReason | undefined {
  if (state.isScheduled() || !facts.areTasksDone()) return undefined;
  if (areResultsMissing(state, facts)) return skipReasons.results;
  if (!allowsExecution(state.task.when, state.celOutcomes)) return skipReasons.when;
  if (facts.stopwatch.isPipelineOver()) return skipReasons.pipelineTimeout;
  if (facts.stopwatch.isFinallyOver()) return skipReasons.finallyTimeout;
  return isEmptyMatrix(state) ? skipReasons.emptyMatrix : undefined;
}

/**
 * Whether a task does without what it cannot have. Others fail: those whose results are missing although the task that should
 * have made them was run.
 */
function areResultsMissing(state: TaskState, facts: PipelineFacts): boolean {
  if (state.references.length === 0 || !usesResults(state.task)) return false;
  const results = resolveResults(facts.byName, state);
  if (results.missing === undefined) return false;
  const producer = facts.byName.get(results.task);
  if (!producer) return false;
  return state.ignoresFailure || state.isFinal || facts.skipOf(producer) === skipReasons.when;
}

function isEmptyMatrix({ task }: TaskState): boolean {
  return (task.matrix?.params ?? []).some(({ value }) => Array.isArray(value) && value.length === 0);
}
