import {
  type FieldErrors,
  genericError,
  invalidValue,
  multipleOneOf,
  outOfBounds,
} from '@tektite/controller/field-errors';
import type { PipelineTask } from '../../kinds/pipeline-spec.ts';
import type { TaskResult } from '../../kinds/task-spec.ts';
import { countCombinations, isMatrixed } from '../../pipeline/matrix.ts';
import { looksLikeResult, resultReference, variablesInValue } from '../../pipeline/result-reference.ts';
import { allErrors } from './all-errors.ts';
import { gate, type Rules } from '../rules.ts';
import { validateUniqueTaskParams } from './validate-pipeline-params.ts';

/** The matrices of tasks, and how others use their results. */
export function validateMatrices(tasks: readonly PipelineTask[], rules: Rules): FieldErrors {
  return allErrors([
    ...tasks.map((task, index) => validateMatrix(task, rules).viaIndex(index)),
    validateConsumers(tasks),
  ]);
}

function validateMatrix(task: PipelineTask, rules: Rules): FieldErrors {
  const { matrix, params = [] } = task;
  if (!matrix) return allErrors([]);
  const include = matrix.include ?? [];
  const names = new Set(
    [...(matrix.params ?? []), ...include.flatMap((each) => each.params ?? [])].map(({ name }) => name),
  );
  const both = params.filter(({ name }) => names.has(name));
  const max = rules.defaults.maxMatrixCombinations;
  // The older version does not count what is to come, such as the results of another task.
  const count = countCombinations(matrix, rules.version === 'v1' ? 1 : 0);
  return allErrors([
    ...(isMatrixed(task)
      ? [
          gate(rules, 'matrix', 'beta'),
          count > max ? outOfBounds(count, 0, max, 'matrix') : undefined,
          ...include.map((each, index) =>
            validateUniqueTaskParams(each.params).viaField(`matrix.include[${index}].params`),
          ),
          validateUniqueTaskParams(matrix.params).viaField('matrix.params'),
        ]
      : []),
    ...both.map(({ name }) => multipleOneOf(`matrix[${name}]`, `params[${name}]`)),
  ]);
}

/** Results of a matrix are lists: they are used as a whole, and each item is a text. */
function validateConsumers(tasks: readonly PipelineTask[]): FieldErrors | undefined {
  const byName = new Map(tasks.map((task) => [task.name, task]));
  let consumed: readonly string[] = [];
  for (const { value } of tasks.flatMap(({ params = [] }) => params)) {
    const results = variablesInValue(value).filter(looksLikeResult);
    if (results.length === 0) continue;
    // Only the parts that the last parameter uses are checked further: upstream's way.
    consumed = results.filter((name) => isFromMatrix(name, byName));
    const single = consumed.filter((name) => !name.endsWith('[*]'));
    if (single.length > 0) return allErrors(single.map(notAggregate));
  }
  return allErrors(consumed.map((name) => validateEmitted(name, byName)));
}

function isFromMatrix(name: string, byName: ReadonlyMap<string, PipelineTask>): boolean {
  const task = byName.get(name.split('.')[1] ?? '');
  return task !== undefined && isMatrixed(task);
}

function notAggregate(name: string): FieldErrors {
  return genericError(
    `A matrixed pipelineTask can only be consumed in aggregate using [*] notation, but is currently set to ${name}`,
  );
}

function validateEmitted(name: string, byName: ReadonlyMap<string, PipelineTask>): FieldErrors | undefined {
  const reference = resultReference(name);
  const task = byName.get(reference?.task ?? '');
  const emitting = task?.taskRef ? byName.get(task.taskRef.name ?? '') : task;
  const results: readonly TaskResult[] = emitting?.taskSpec?.results ?? [];
  const bad = results.filter((result) => result.name === reference?.result && result.type !== 'string');
  return allErrors(
    bad.map((result) =>
      invalidValue(
        `Matrixed PipelineTasks emitting results must have an underlying type string, but result ${result.name} has type ${result.type ?? ''} in pipelineTask`,
        '',
      ),
    ),
  );
}
