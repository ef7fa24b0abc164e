import type { ChildReference, SkippedTask } from '../../../kinds/pipeline-run-spec.ts';
import type { PipelineTask } from '../../../kinds/pipeline-spec.ts';
import { replaceText } from '../../../substitution/replace-text.ts';
import { ReplacementSet, stringReplacements } from '../../../substitution/replacements.ts';
import type { ChildRun } from './child-run.ts';
import type { PipelineFacts } from './facts.ts';
import { replaceInPipelineTask } from './replace-in-pipeline.ts';
import { skipReasons } from './skip.ts';
import { resolveResults } from './task-results.ts';
import type { TaskState } from './task-state.ts';

/** The status of a run for its tasks. */
export interface TaskReport {
  readonly childReferences: readonly ChildReference[];
  readonly skippedTasks: readonly SkippedTask[];
}

const apiVersions = {
  TaskRun: 'tekton.dev/v1',
  CustomRun: 'tekton.dev/v1beta1',
  PipelineRun: 'tekton.dev/v1',
} as const;

/**
 * The runs there are, and the tasks that are skipped, with their conditions as they were evaluated: results are in their places,
 * those that a task uses itself, and those that others use who are done.
 */
export function reportTasks(facts: PipelineFacts): TaskReport {
  const known = new ReplacementSet();
  const childReferences: ChildReference[] = [];
  for (const state of facts.states) {
    if (state.references.length > 0 && facts.isDone(state)) {
      const results = resolveResults(facts.byName, state);
      if (results.missing === undefined) known.addAll(results.replacements);
    }
    if (state.hasRuns()) {
      const task = hasVariables(state.task) ? replaceInPipelineTask(state.task, known) : state.task;
      for (const run of state.runs) childReferences.push(childReference(state, task, run));
    }
  }
  return { childReferences, skippedTasks: facts.states.flatMap((state) => skippedTask(state, facts, known) ?? []) };
}

/** Whether the report has anything of a task that could have variables in it. */
function hasVariables({ when, displayName, matrix }: PipelineTask): boolean {
  return when !== undefined || displayName !== undefined || matrix !== undefined;
}

function childReference(state: TaskState, task: PipelineTask, run: ChildRun): ChildReference {
  const { when = [] } = task;
  const displayName = displayNameOf(task, run);
  return {
    apiVersion: apiVersions[state.kind],
    kind: state.kind,
    name: run.metadata.name ?? '',
    ...(displayName ? { displayName } : {}),
    pipelineTaskName: state.name,
    ...(when.length > 0 ? { whenExpressions: when } : {}),
  };
}

/**
 * The display name: the name of the task, with the parameters of the run; or the names of the includes that it comes
 * from.
 */
function displayNameOf({ displayName = '', matrix }: PipelineTask, run: ChildRun): string {
  const params = new Map<string, string>();
  for (const { name, value } of run.spec.params ?? []) if (typeof value === 'string') params.set(name, value);
  const replacements = stringReplacements([...params].map(([name, value]) => [`params.${name}`, value]));
  const included = (matrix?.include ?? [])
    .filter(({ name, params: own = [] }) => name && own.every((param) => matches(param, params)))
    .map(({ name = '' }) => replaceText(name, replacements));
  return included.length > 0 ? included.join(' ').trim() : replaceText(displayName, replacements);
}

function matches(
  { name, value }: { readonly name: string; readonly value: unknown },
  params: ReadonlyMap<string, string>,
): boolean {
  const given = params.get(name);
  return given !== undefined && (typeof value !== 'string' || value === given);
}

function skippedTask(state: TaskState, facts: PipelineFacts, known: ReplacementSet): SkippedTask | undefined {
  const reason = facts.skipOf(state) ?? facts.skipOfFinal(state);
  if (reason === undefined) return undefined;
  const { when = [] } = replaceInPipelineTask(state.task, known);
  const tellsWhen = when.length > 0 && (!state.isFinal || reason === skipReasons.when);
  return { name: state.name, reason, ...(tellsWhen ? { whenExpressions: when } : {}) };
}
