import { formatTime, quoteGo } from '@tektite/meta';
import type { PipelineRun } from '../../../kinds/pipeline-run.ts';
import { Legacy } from '../children/child-variables.ts';
import type { PipelineFacts } from './facts.ts';
import { replaceInPipelineTask } from './replace-in-pipeline.ts';
import { missingResult, resolveResults } from './task-results.ts';
import type { TaskState } from './task-state.ts';
import { taskStatusVariables } from './task-status-variables.ts';
import { matrixMistake } from './validate-tasks.ts';
import { CelError } from './when.ts';
import { RunFailure } from '../../../conditions/run-failure.ts';
import { replaceInBindings } from '../../../workspace/replace-in-bindings.ts';
import { type ChildDrafts, createChildren, draftChildren } from '../act/create-children.ts';
import type { PipelineRunServices } from '../pipeline-run-services.ts';

/**
 * Starts everything that can start now: tasks whose parents are over, then final tasks when all others are. Tells when the
 * final tasks began, if they have: before it starts them, so that it is known of those that cannot start, too.
 */
export async function startTasks(
  run: PipelineRun,
  facts: PipelineFacts,
  services: PipelineRunServices,
  finallyBegan: (startTime: string) => void,
): Promise<void> {
  const next = [...startable(facts, services), ...startableFinals(run, facts)];
  if (facts.isFinalTaskStarted() || next.some(({ isFinal }) => isFinal)) {
    const startTime = run.status?.finallyStartTime ?? formatTime(services.now);
    facts.stopwatch.startFinally(startTime);
    finallyBegan(startTime);
  }
  const starting = next.filter(
    (state) => (state.isFinal ? facts.skipOfFinal(state) : facts.skipOf(state)) === undefined,
  );
  if (starting.length > 0) await start(starting, run, facts, services);
  facts.forget();
}

/** A task that cannot have its results ends the run: none of the others starts either. */
function startable(facts: PipelineFacts, { context }: PipelineRunServices): readonly TaskState[] {
  const next = facts.nextTasks();
  const invalid = next.flatMap((state) => {
    const why = missingResult(facts.byName, state);
    return why === undefined ? [] : [{ state, why }];
  });
  for (const { state, why } of invalid) {
    facts.markInvalid(state, why);
    const message = `Task ${quoteGo(state.name)} failed result validation: ${why}`;
    context.event({ type: 'Warning', reason: 'ResultValidationFailed', message });
  }
  return invalid.length > 0 ? [] : next;
}

/** Final tasks know how the others went. One whose results are not there is left out. */
function startableFinals(run: PipelineRun, facts: PipelineFacts): readonly TaskState[] {
  const finals = facts.nextFinalTasks();
  if (finals.length === 0) return [];
  const variables = taskStatusVariables(facts);
  return finals.filter((state) => {
    const { matrix, workspaces } = state.task;
    // Those may have results, and not how tasks went.
    const kept = { ...(matrix ? { matrix } : {}), ...(workspaces ? { workspaces } : {}) };
    state.task = { ...replaceInPipelineTask(state.task, variables), ...kept };
    const results = resolveResults(facts.byName, state);
    if (results.missing !== undefined) return false;
    state.task = replaceInPipelineTask(state.task, results.replacements);
    evaluate(state, run);
    return true;
  });
}

/** Works out the CEL of a task's conditions. */
export function evaluate(state: TaskState, { metadata }: PipelineRun): void {
  try {
    state.evaluateCel();
  } catch (error) {
    if (!(error instanceof CelError)) throw error;
    const message = `[User error] Error evaluating CEL ${metadata.name ?? ''}: ${error.message}`;
    throw new RunFailure('CELEvaluationFailed', message, { cause: error });
  }
}

async function start(
  states: readonly TaskState[],
  run: PipelineRun,
  facts: PipelineFacts,
  services: PipelineRunServices,
): Promise<void> {
  const legacy = new Legacy(facts);
  const { workspaces } = run.spec;
  const bound = workspaces
    ? { ...run, spec: { ...run.spec, workspaces: replaceInBindings(workspaces, legacy.results) } }
    : run;
  const matrixed = states.some((state) => state.isMatrixed());
  const mistake = matrixed ? matrixMistake(facts.states) : undefined;
  const drafts: ChildDrafts[] = [];
  let failure: unknown;
  // Those before one that can never start are started, those after it are not.
  for (const state of states) {
    try {
      if (mistake !== undefined && state.isMatrixed()) throw matrixFailure(mistake);
      legacy.inherit(state);
      drafts.push(draftChildren(state, bound, facts, services));
    } catch (error) {
      failure = error;
      break;
    }
  }
  await createChildren(drafts, run, services);
  if (failure !== undefined) throw failure;
}

/** Upstream forgets to say which task. */
function matrixFailure(mistake: string): RunFailure {
  const message = `[User error] Failed to validate matrix ${quoteGo(mistake)} with error %!v(MISSING)`;
  return new RunFailure('InvalidMatrixParameterTypes', message, { cause: new Error(mistake) });
}
