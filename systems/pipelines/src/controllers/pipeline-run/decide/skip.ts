import { usesResults } from '../../../pipeline/result-reference.ts';
import { resolveResults } from './task-results.ts';
import type { SpecStatus } from './lifecycle.ts';
import type { TaskState } from './task-state.ts';
import type { Stopwatch } from './timeouts.ts';
import { allowsExecution } from './when.ts';

/** The reasons in `status.skippedTasks`, in upstream's words. */
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

/** The facts about a run that decide whether a task is skipped. */
export interface SkipFacts {
  readonly byName: ReadonlyMap<string, TaskState>;
  readonly specStatus: SpecStatus;
  readonly stopwatch: Stopwatch;
  parentsOf(state: TaskState): readonly TaskState[];
  isInvalid(state: TaskState): boolean;
  isStopping(): boolean;
  areParentsDone(state: TaskState): boolean;
  areTasksDone(): boolean;
  skipOf(state: TaskState): SkipReason | undefined;
}

/** The reason why a task is skipped, in upstream's order; undefined for a task that runs or may still run. */
export function skipReason(state: TaskState, facts: SkipFacts): SkipReason | undefined {
  if (state.isScheduled() || facts.isInvalid(state)) return undefined;
  if (facts.isStopping()) return skipReasons.stopping;
  if (facts.specStatus === 'CancelledRunFinally') return skipReasons.cancelled;
  if (facts.specStatus === 'StoppedRunFinally') return skipReasons.stopped;
  const parentsDone = facts.areParentsDone(state);
  if (parentsDone && !allowsExecution(state.task.when, state.celOutcomes)) return skipReasons.when;
  // A task that its own when expressions skip does not skip its children.
  const parentSkips = facts.parentsOf(state).map((parent) => facts.skipOf(parent));
  if (parentSkips.some((reason) => reason !== undefined && reason !== skipReasons.when)) return skipReasons.parents;
  if (!parentsDone) return isEmptyMatrix(state) ? skipReasons.emptyMatrix : undefined;
  if (areResultsMissing(state, facts)) return skipReasons.results;
  if (facts.stopwatch.isPipelineOver()) return skipReasons.pipelineTimeout;
  if (facts.stopwatch.areTasksOver()) return skipReasons.tasksTimeout;
  return isEmptyMatrix(state) ? skipReasons.emptyMatrix : undefined;
}

/** The same for a final task. */
export function skipFinalReason(state: TaskState, facts: SkipFacts): SkipReason | undefined {
  if (state.isScheduled() || !facts.areTasksDone()) return undefined;
  if (areResultsMissing(state, facts)) return skipReasons.results;
  if (!allowsExecution(state.task.when, state.celOutcomes)) return skipReasons.when;
  if (facts.stopwatch.isPipelineOver()) return skipReasons.pipelineTimeout;
  if (facts.stopwatch.isFinallyOver()) return skipReasons.finallyTimeout;
  return isEmptyMatrix(state) ? skipReasons.emptyMatrix : undefined;
}

/**
 * Whether missing results skip a task. A task fails instead when the producer of the results ran without producing them.
 */
function areResultsMissing(state: TaskState, facts: SkipFacts): boolean {
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
