import type { EventText } from '@tektite/controller/events';
import { formatTime, quoteGo } from '@tektite/meta';
import { RunFailure } from '../../../conditions/run-failure.ts';
import type { PipelineRun } from '../../../kinds/pipeline-run.ts';
import type { PipelineFacts } from './facts.ts';
import { replaceInPipelineTask } from './replace-in-pipeline.ts';
import { missingResult, resolveResults } from './task-results.ts';
import type { TaskState } from './task-state.ts';
import { taskStatusVariables } from './task-status-variables.ts';
import { CelError } from './when.ts';

/** The tasks whose parents are done. */
export interface StartableTasks {
  readonly tasks: readonly TaskState[];
  readonly events: readonly EventText[];
}

/** A task whose results are missing fails the run: it is marked as invalid, and none of the others starts either. */
export function startableTasks(facts: PipelineFacts): StartableTasks {
  const tasks = facts.nextTasks();
  const events: EventText[] = [];
  for (const state of tasks) {
    const why = missingResult(facts.byName, state);
    if (why === undefined) continue;
    facts.markInvalid(state, why);
    const message = `Task ${quoteGo(state.name)} failed result validation: ${why}`;
    events.push({ type: 'Warning', reason: 'ResultValidationFailed', message });
  }
  return { tasks: events.length > 0 ? [] : tasks, events };
}

/** The final tasks that can start, with the outcomes of the other tasks replaced. A final task with missing results is left out. */
export function startableFinalTasks(run: PipelineRun, facts: PipelineFacts): readonly TaskState[] {
  const finals = facts.nextFinalTasks();
  if (finals.length === 0) return [];
  const variables = taskStatusVariables(facts);
  return finals.filter((state) => {
    const { matrix, workspaces } = state.task;
    // Results are replaced in these, but not the outcomes of tasks.
    const kept = { ...(matrix ? { matrix } : {}), ...(workspaces ? { workspaces } : {}) };
    state.task = { ...replaceInPipelineTask(state.task, variables), ...kept };
    const results = resolveResults(facts.byName, state);
    if (results.missing !== undefined) return false;
    state.task = replaceInPipelineTask(state.task, results.replacements);
    evaluateWhen(state, run);
    return true;
  });
}

/** The start of the final tasks; undefined before it. It is recorded before they are created, so also for those that fail to start. */
export function finallyStartTime(
  run: PipelineRun,
  facts: PipelineFacts,
  next: readonly TaskState[],
  now: number,
): string | undefined {
  if (!facts.isFinalTaskStarted() && !next.some(({ isFinal }) => isFinal)) return undefined;
  return run.status?.finallyStartTime ?? formatTime(now);
}

/** The tasks that are not skipped. */
export function withoutSkipped(states: readonly TaskState[], facts: PipelineFacts): readonly TaskState[] {
  return states.filter((state) => (state.isFinal ? facts.skipOfFinal(state) : facts.skipOf(state)) === undefined);
}

/** Evaluates the CEL in the when expressions of a task. Throws a `RunFailure`. */
export function evaluateWhen(state: TaskState, { metadata }: PipelineRun): void {
  try {
    state.evaluateCel();
  } catch (error) {
    if (!(error instanceof CelError)) throw error;
    const message = `[User error] Error evaluating CEL ${metadata.name ?? ''}: ${error.message}`;
    throw new RunFailure('CELEvaluationFailed', message, { cause: error });
  }
}
