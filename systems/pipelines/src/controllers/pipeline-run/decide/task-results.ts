import type { CachedCustomRun, CachedTaskRun } from '../../../cache/cache-transforms.ts';
import type { ParamValue } from '../../../kinds/param.ts';
import { ReplacementSet, type Replacements } from '../../../substitution/replacements.ts';
import type { ResultReference } from '../../../pipeline/result-reference.ts';
import type { TaskState } from './task-state.ts';

/** The results that a task uses, with their values; or why they cannot be had. */
export type ResolvedResults =
  | { readonly replacements: Replacements; readonly outOfBounds?: string; readonly missing?: undefined }
  | { readonly missing: string; readonly task: string };

type States = ReadonlyMap<string, TaskState>;

/** Looks up all results that a task uses. All of them, or none: a task cannot do with a part. */
export function resolveResults(states: States, target: TaskState): ResolvedResults {
  const set = new ReplacementSet();
  let outOfBounds: string | undefined;
  for (const reference of target.references) {
    const { task } = reference;
    const state = states.get(task);
    if (!state) return { task, missing: `could not find task "${task}" referenced by result` };
    if (!state.isSuccessful() && !state.isFailure())
      return { task, missing: `task "${task}" referenced by result was not finished` };
    const value = valueOf(state, reference);
    if (value === undefined) return { task, missing: notFound(reference) };
    addResult(set, reference, value);
    outOfBounds ??= indexOutOfBounds(reference, value);
  }
  return { replacements: set, ...(outOfBounds === undefined ? {} : { outOfBounds }) };
}

function notFound({ result, task }: ResultReference): string {
  return `Invalid task result reference: Could not find result with name ${result} for pipeline task ${task}`;
}

function valueOf(state: TaskState, { result }: ResultReference): ParamValue | undefined {
  if (state.kind === 'CustomRun') return customResult(state.runs[0] as CachedCustomRun, result);
  if (state.isMatrixed()) return state.matrixResults().get(result);
  return taskResult(state.runs[0] as CachedTaskRun | undefined, result);
}

function taskResult(run: CachedTaskRun | undefined, name: string): ParamValue | undefined {
  return run?.status?.results?.find((result) => result.name === name)?.value;
}

/** Custom tasks only have texts; one that is a list of texts in JSON is taken for one. */
function customResult(run: CachedCustomRun | undefined, name: string): ParamValue | undefined {
  const text = run?.status?.results?.find((result) => result.name === name)?.value;
  if (text === undefined || !text.trimStart().startsWith('[')) return text;
  try {
    const value: unknown = JSON.parse(text);
    if (Array.isArray(value) && value.length > 0 && value.every((item) => typeof item === 'string')) return value;
  } catch {
    // Text that begins with a bracket.
  }
  return text;
}

function indexOutOfBounds({ task, result, index }: ResultReference, value: ParamValue): string | undefined {
  if (index === undefined || !Array.isArray(value) || index < value.length) return undefined;
  return `array Result Index ${index} for Task ${task} Result ${result} is out of bound of size ${value.length}`;
}

/** Adds the value of a result, in all its notations. */
export function addResult(set: ReplacementSet, { task, result }: ResultReference, value: ParamValue): void {
  const forms = [
    `tasks.${task}.results.${result}`,
    `tasks.${task}.results["${result}"]`,
    `tasks.${task}.results['${result}']`,
  ];
  for (const [place, form] of forms.entries()) {
    if (typeof value === 'string') set.strings.set(form, value);
    else if (Array.isArray(value)) {
      set.arrays.set(form, value as readonly string[]);
      for (const [index, item] of value.entries()) set.strings.set(`${form}[${index}]`, item as string);
    } else {
      set.objects.set(form, value as Readonly<Record<string, string>>);
      for (const [key, item] of Object.entries(value))
        set.strings.set(place === 0 ? `${form}.${key}` : `${form}[${key}]`, item);
    }
  }
}

/** Why a task that is about to start cannot: a result that it uses is not there. Undefined when it can. */
export function missingResult(states: States, target: TaskState): string | undefined {
  for (const reference of target.references) {
    const { task, result } = reference;
    const state = states.get(task);
    if (!state) return `Result reference error: Could not find ref "${task}" in internal pipelineRunState`;
    if (!state.hasRuns() || state.kind === 'PipelineRun') {
      const runs = state.kind === 'CustomRun' ? 'CustomRuns' : 'TaskRuns';
      return `Result reference error: Internal result ref "${task}" has zero-length ${runs}`;
    }
    const [run] = state.runs;
    const value =
      state.kind === 'CustomRun'
        ? customResult(run as CachedCustomRun, result)
        : taskResult(run as CachedTaskRun, result);
    if (value !== undefined) continue;
    return state.isSuccessful()
      ? `task "${task}" completed successfully but did not emit the result "${result}", which is referenced by task "${target.name}"`
      : notFound(reference);
  }
  return undefined;
}

/** All results of all completed TaskRuns, by task. */
export function finishedResults(states: Iterable<TaskState>): ReadonlyMap<string, ReadonlyMap<string, ParamValue>> {
  const results = new Map<string, ReadonlyMap<string, ParamValue>>();
  for (const state of states) {
    if (state.kind !== 'TaskRun' || !(state.isSuccessful() || state.isFailure())) continue;
    if (state.isMatrixed()) {
      if (state.matrixResults().size > 0) results.set(state.name, state.matrixResults());
      continue;
    }
    const own = (state.runs[0] as CachedTaskRun).status?.results ?? [];
    results.set(state.name, new Map(own.map(({ name, value }) => [name, value])));
  }
  return results;
}
