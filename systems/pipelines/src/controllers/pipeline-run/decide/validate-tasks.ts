import type { Param, ParamSpec } from '../../../kinds/param.ts';
import type { PipelineSpec } from '../../../kinds/pipeline-spec.ts';
import { RunFailure } from '../../../conditions/run-failure.ts';
import { goList, paramError } from '../../../params/validate-params.ts';
import { variablesIn } from '../../../substitution/variable-references.ts';
import { type ResultReference, resultReference, variablesInValue } from '../../../pipeline/result-reference.ts';
import type { TaskState } from './task-state.ts';

/** Checks that the tasks of a Pipeline get the parameters that their Tasks ask for. Throws a `RunFailure`. */
export function validateTaskParams(states: readonly TaskState[], run: string): void {
  for (const { resolved, task } of states) {
    if (!resolved.taskSpec) continue;
    const { params = [], include = [] } = task.matrix ?? {};
    const matrix = [...params, ...include.flatMap((each) => each.params ?? [])];
    const violation = paramError(resolved.taskSpec.params ?? [], task.params ?? [], matrix);
    if (violation === undefined) continue;
    const words = `invalid input params for task ${resolved.name}: ${violation}`;
    throw invalid(`Validation failed for pipelinerun ${run} with error ${words}`, words);
  }
}

/** Checks that whatever a Pipeline allows its Tasks allow too. `original`: with its variables. */
export function validateEnumSubsets(states: readonly TaskState[], original: PipelineSpec): void {
  const params = new Map(
    [...(original.tasks ?? []), ...(original.finally ?? [])].map((task) => [task.name, task.params]),
  );
  for (const { name, resolved } of states) {
    const violation = enumMismatch(
      params.get(name) ?? [],
      original.params ?? [],
      resolved.name,
      resolved.taskSpec?.params ?? [],
    );
    if (violation !== undefined) throw invalid(`Validation failed for pipelinerun with error ${violation}`, violation);
  }
}

function enumMismatch(
  params: readonly Param[],
  pipelineParams: readonly ParamSpec[],
  task: string,
  taskParams: readonly ParamSpec[],
): string | undefined {
  for (const { name, value } of params) {
    const [variable = '', ...more] = typeof value === 'string' ? variablesIn(value, 'params').names : [];
    if (variable === '' || more.length > 0) continue;
    const outer = pipelineParams.find((spec) => spec.name === variable.replace(/\[.*$/, ''));
    const inner = taskParams.find((spec) => spec.name === name)?.enum ?? [];
    if (!outer || (outer.type ?? 'string') !== 'string' || inner.length === 0) return undefined;
    const allowed = outer.enum ?? [];
    if (allowed.length === 0)
      return `pipeline param "${outer.name}" has no enum, but referenced in "${task}" task has enums: ${goList(inner)}`;
    if (!allowed.every((each) => inner.includes(each)))
      return `pipeline param "${outer.name}" enum: ${goList(allowed)} is not a subset of the referenced in "${task}" task param enum: ${goList(inner)}`;
  }
  return undefined;
}

function invalid(message: string, cause: string): RunFailure {
  return new RunFailure('PipelineValidationFailed', `[User error] ${message}`, { cause: new Error(cause) });
}

/** Checks what can be known of results before anything runs: that the tasks that are to make them say that they do. */
export function validateResultReferences(
  states: ReadonlyMap<string, TaskState>,
  { results = [] }: PipelineSpec,
  run: string,
): void {
  for (const state of states.values())
    for (const reference of state.references) {
      const violation = referenceError(reference, states);
      if (violation === undefined) continue;
      const message = `invalid result reference in pipeline task "${state.name}": ${violation}`;
      throw new RunFailure('InvalidTaskResultReference', message, { cause: new Error(message) });
    }
  for (const { name, value } of results)
    for (const variable of variablesInValue(value)) {
      const reference = resultReference(variable);
      const violation = reference && referenceError(reference, states);
      if (violation === undefined) continue;
      const words = `invalid pipeline result "${name}": ${violation}`;
      throw new RunFailure(
        'InvalidPipelineResultReference',
        `Failed to resolve pipeline result reference for "${run}" with error ${words}`,
        { cause: new Error(words) },
      );
    }
}

function referenceError({ task, result }: ResultReference, states: ReadonlyMap<string, TaskState>): string | undefined {
  const state = states.get(task);
  if (!state) return `referenced pipeline task "${task}" does not exist`;
  // The results of a custom task are not known in advance.
  if (state.kind === 'CustomRun') return undefined;
  const { taskSpec } = state.resolved;
  if (!taskSpec) return `unable to validate result referencing pipeline task "${task}": task spec not found`;
  if (taskSpec.results?.some(({ name }) => name === result)) return undefined;
  return `"${result}" is not a named result returned by pipeline task "${task}"`;
}

/** Checks that no task needs a workspace that the run may leave out. */
export function validateOptionalWorkspaces(states: readonly TaskState[], { workspaces = [] }: PipelineSpec): void {
  const optional = new Set(workspaces.filter((each) => each.optional).map(({ name }) => name));
  for (const { task, resolved } of states)
    for (const { name, workspace = '' } of task.workspaces ?? []) {
      if (!optional.has(workspace)) continue;
      const declared = resolved.taskSpec?.workspaces?.find((each) => each.name === name);
      if (!declared || declared.optional) continue;
      const words = `pipeline workspace "${workspace}" is marked optional but pipeline task "${task.name}" requires it be provided`;
      throw new RunFailure(
        'RequiredWorkspaceMarkedOptional',
        `[User error] Optional workspace not supported by task: ${words}`,
        { cause: new Error(words) },
      );
    }
}

/** Validates the types of matrices, with their values. */
export function matrixError(states: readonly TaskState[]): string | undefined {
  for (const { task } of states) {
    for (const { params = [] } of task.matrix?.include ?? [])
      for (const param of params) if (typeof param.value !== 'string') return typeError('string', param, task.name);
    for (const param of task.matrix?.params ?? []) {
      if (Array.isArray(param.value)) continue;
      if (variablesInValue(param.value).some((variable) => resultReference(variable))) continue;
      return typeError('array', param, task.name);
    }
  }
  return undefined;
}

function typeError(wanted: string, { name, value }: Param, task: string): string {
  const type = typeof value === 'string' ? 'string' : Array.isArray(value) ? 'array' : 'object';
  return `parameters of type ${wanted} only are allowed, but param "${name}" has type "${type}" in pipelineTask "${task}"`;
}
