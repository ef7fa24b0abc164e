import type { ArtifactValue, Artifacts } from '../../../kinds/run-status.ts';
import type { ParamValue } from '../../../kinds/param.ts';
import type { PipelineTask } from '../../../kinds/pipeline-spec.ts';
import type { TaskRun } from '../../../kinds/task-run.ts';
import { replaceInTask } from '../../../substitution/replace-in-task.ts';
import { replaceText } from '../../../substitution/replace-text.ts';
import { type Replacements, ReplacementSet, stringReplacements } from '../../../substitution/replacements.ts';
import type { PipelineFacts } from '../decide/facts.ts';
import { countCombinations } from '../../../pipeline/matrix.ts';
import { replaceParams } from '../decide/replace-in-pipeline.ts';
import { variablesInValue } from '../../../pipeline/result-reference.ts';
import { finishedResults } from '../decide/task-results.ts';
import type { TaskState } from '../decide/task-state.ts';

/**
 * The results and outcomes of completed tasks for tasks that start now: for Tasks within the Pipeline, and for
 * workspaces.
 */
export class Legacy {
  /** Texts and arrays; of objects their keys. */
  readonly results: Replacements;
  private readonly artifacts: Replacements;

  constructor(facts: PipelineFacts) {
    this.results = resultVariables(facts);
    this.artifacts = artifactVariables(facts.states);
  }

  /** Puts results and artifacts into the Task within the Pipeline. */
  inherit(state: TaskState): void {
    const { taskSpec } = state.resolved;
    if (!taskSpec || state.task.taskRef) return;
    const inherited = replaceInTask(replaceInTask(taskSpec, this.results), this.artifacts);
    state.resolved = { ...state.resolved, taskSpec: inherited };
  }
}

function resultVariables({ states }: PipelineFacts): Replacements {
  const set = new ReplacementSet();
  for (const [task, results] of finishedResults(states))
    for (const [name, value] of results) {
      const form = `tasks.${task}.results.${name}`;
      if (typeof value === 'string') set.strings.set(form, value);
      else if (Array.isArray(value)) set.arrays.set(form, value as readonly string[]);
      else for (const [key, item] of Object.entries(value)) set.strings.set(`${form}.${key}`, item);
    }
  return set;
}

function artifactVariables(states: readonly TaskState[]): Replacements {
  const entries: [string, string][] = [];
  for (const state of states) {
    if (state.kind !== 'TaskRun' || !(state.isSuccessful() || state.isFailure())) continue;
    const all = (state.runs as readonly TaskRun[]).map(({ status }) => status?.artifacts ?? {});
    for (const side of ['inputs', 'outputs'] as const) entries.push(...artifactsOf(state.name, side, all));
  }
  return stringReplacements(entries);
}

/** Each by its name, and the first also without. Those of a matrix are put together. */
function artifactsOf(task: string, side: keyof Artifacts, all: readonly Artifacts[]): [string, string][] {
  const merged = new Map<string, ArtifactValue[]>();
  for (const artifacts of all)
    for (const { name = '', values = [] } of artifacts[side] ?? []) {
      const known = merged.get(name);
      if (known) known.push(...values);
      else merged.set(name, [...values]);
    }
  return [...merged].flatMap(([name, values], index) => {
    const json = JSON.stringify(values.map(({ digest, uri }) => ({ digest, uri })));
    const named: [string, string] = [`tasks.${task}.${side}.${name}`, json];
    return index === 0 ? [named, [`tasks.${task}.${side}`, json]] : [named];
  });
}

/** A task with what is only known when it starts: how often it is tried, and how long matrices and their results are. */
export function withTaskContext(task: PipelineTask, facts: PipelineFacts): PipelineTask {
  const entries: [string, string][] = [['context.pipelineTask.retries', String(task.retries ?? 0)]];
  for (const { value } of task.params ?? []) entries.push(...matrixLengths(value, facts));
  const known = stringReplacements(entries);
  const { params, matrix, displayName } = task;
  return {
    ...task,
    ...(params ? { params: replaceParams(params, known) } : {}),
    ...(matrix
      ? {
          matrix: {
            ...(matrix.params ? { params: replaceParams(matrix.params, known) } : {}),
            ...(matrix.include
              ? {
                  include: matrix.include.map((each) =>
                    each.params ? { ...each, params: replaceParams(each.params, known) } : each,
                  ),
                }
              : {}),
          },
        }
      : {}),
    ...(displayName ? { displayName: replaceText(displayName, known) } : {}),
  };
}

const matrixLength = /^[^.]*\.[^.]*\.matrix\.(?:.*\.)?length$/;

/**
 * `tasks.build.matrix.length` and `tasks.build.matrix.image.length`. Of a value that asks for some, upstream only sees the first
 * variable with so many parts, whatever it is, and answers for its task and its result.
 */
function matrixLengths(value: ParamValue, facts: PipelineFacts): readonly [string, string][] {
  const variables = variablesInValue(value);
  if (!variables.some((variable) => matrixLength.test(variable))) return [];
  const seen = variables.map((variable) => variable.split('.')).find(({ length }) => length === 4 || length === 5);
  const [, task = '', , result = '', end] = seen ?? [];
  const state = facts.byName.get(task);
  if (!state) return [];
  const { matrix } = state.task;
  const combinations = matrix ? countCombinations(matrix) : 0;
  const results = end === undefined ? undefined : (state.matrixResults().get(result)?.length ?? 0);
  return [
    ...(state.isFinal ? [] : [[`tasks.${task}.matrix.length`, String(combinations)] as [string, string]]),
    ...(results === undefined ? [] : [[`tasks.${task}.matrix.${result}.length`, String(results)] as [string, string]]),
  ];
}
