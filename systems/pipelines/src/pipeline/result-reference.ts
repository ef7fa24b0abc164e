import type { Param, ParamValue } from '../kinds/param.ts';
import type { PipelineTask } from '../kinds/pipeline-spec.ts';
import type { Sidecar, Step } from '../kinds/task-spec.ts';
import type { WhenExpression } from '../kinds/when-expression.ts';

/** `$(tasks.build.results.image)`: a result of another task of the Pipeline. */
export interface ResultReference {
  readonly task: string;
  readonly result: string;
  /** `[3]`: one item of an array. */
  readonly index?: number;
  /** `.url`: one key of an object. */
  readonly key?: string;
}

/** Bracketed names are not seen by it, and so make no dependencies; neither does upstream see them. */
const variable = /\$\(([_a-zA-Z0-9.-]+(?:\[(?:[0-9]+|\*)\])?)\)/g;
const arrayIndex = /\[([0-9]*\*?)\]/;

/** The variables in a text, without `$(` and `)`. */
export function variablesInText(text: string): readonly string[] {
  if (!text.includes('$(')) return [];
  return Array.from(text.matchAll(variable), ([, name = '']) => name);
}

/** The variables in a value of any type. */
export function variablesInValue(value: ParamValue): readonly string[] {
  if (typeof value === 'string') return variablesInText(value);
  return Object.values(value).flatMap(variablesInText);
}

/** The variables in a condition. */
export function variablesInWhen({ input = '', cel = '', values = [] }: WhenExpression): readonly string[] {
  return [input, cel, ...values].flatMap(variablesInText);
}

/** Whether a variable is meant to be a result, well-formed or not. */
export function looksLikeResult(name: string): boolean {
  const [first, , third, fourth] = name.split('.');
  return (first === 'tasks' || first === 'finally') && third === 'results' && fourth !== undefined;
}

/** The result that a variable stands for, if it stands for one. */
export function resultReference(name: string): ResultReference | undefined {
  if (!looksLikeResult(name)) return undefined;
  const [, task = '', , last = '', key, ...more] = name.split('.');
  if (more.length > 0) return undefined;
  if (key !== undefined) return { task, result: last, key };
  const index = arrayIndex.exec(last)?.[1];
  const result = last.replace(arrayIndex, '');
  return index === undefined || index === '*' || index === ''
    ? { task, result }
    : { task, result, index: Number(index) };
}

/** Whether a task's own parameters or conditions use results. Upstream looks no further when it decides about skipping. */
export function usesResults({ params = [], when = [] }: PipelineTask): boolean {
  return [...params.flatMap(({ value }) => variablesInValue(value)), ...when.flatMap(variablesInWhen)].some(
    looksLikeResult,
  );
}

/** Tasks are immutable, and are parsed in every reconcile. */
const known = new WeakMap<PipelineTask, readonly ResultReference[]>();

/** All results that a task uses: in parameters, matrix, conditions, and in the texts of a Task within the Pipeline. */
export function resultReferencesOf(task: PipelineTask): readonly ResultReference[] {
  const before = known.get(task);
  if (before) return before;
  const references = variablesInTask(task).flatMap((name) => resultReference(name) ?? []);
  known.set(task, references);
  return references;
}

function variablesInTask(task: PipelineTask): readonly string[] {
  const { when = [], taskSpec } = task;
  return [
    ...allParams(task).flatMap(({ value }) => variablesInValue(value)),
    ...when.flatMap(variablesInWhen),
    ...(taskSpec?.steps ?? []).flatMap(variablesInContainer),
    ...(taskSpec?.sidecars ?? []).flatMap(variablesInContainer),
  ];
}

/** The parameters of a task, those of its matrix included. */
function allParams({ params = [], matrix }: PipelineTask): readonly Param[] {
  return [...params, ...(matrix?.params ?? []), ...(matrix?.include ?? []).flatMap((include) => include.params ?? [])];
}

function variablesInContainer(container: Step | Sidecar): readonly string[] {
  const { name = '', image = '', imagePullPolicy = '', script = '', workingDir = '' } = container;
  const texts = [
    name,
    image,
    imagePullPolicy,
    script,
    workingDir,
    ...(container.command ?? []),
    ...(container.args ?? []),
  ];
  for (const { value = '', valueFrom } of container.env ?? []) {
    const { secretKeyRef, configMapKeyRef } = valueFrom ?? {};
    texts.push(value, secretKeyRef?.key ?? '', secretKeyRef?.name ?? '');
    texts.push(configMapKeyRef?.key ?? '', configMapKeyRef?.name ?? '');
  }
  return texts.flatMap(variablesInText);
}
