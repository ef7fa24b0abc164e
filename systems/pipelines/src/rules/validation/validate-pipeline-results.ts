import { type FieldErrors, invalidValue } from '@tektite/controller/field-errors';
import { quoteGo } from '@tektite/meta';
import type { PipelineResult, PipelineTask } from '../../kinds/pipeline-spec.ts';
import {
  looksLikeResult,
  resultReference,
  resultReferencesOf,
  variablesInValue,
  variablesInWhen,
} from '../../pipeline/result-reference.ts';
import { allErrors } from './all-errors.ts';

type Names = ReadonlySet<string>;
const namesOf = (tasks: readonly PipelineTask[]): Names => new Set(tasks.map(({ name }) => name));

/** The results of a Pipeline have to come from its tasks. */
export function validatePipelineResults(
  results: readonly PipelineResult[],
  tasks: readonly PipelineTask[],
  final: readonly PipelineTask[],
): FieldErrors {
  const [taskNames, finalNames] = [namesOf(tasks), namesOf(final)];
  return allErrors(results.map((result, index) => validateResult(result, taskNames, finalNames).viaIndex(index)));
}

function validateResult({ value }: PipelineResult, tasks: Names, final: Names): FieldErrors {
  const variables = variablesInValue(value);
  const results = variables.filter(looksLikeResult);
  const complete = results.filter((name) => resultReference(name));
  const expected = 'expected pipeline results to be task result expressions but';
  return allErrors([
    variables.length === 0 ? invalidValue(`${expected} no expressions were found`, 'value') : undefined,
    results.length === 0 ? invalidValue(`${expected} an invalid expressions was found`, 'value') : undefined,
    results.length === complete.length
      ? undefined
      : invalidValue(
          `expected all of the expressions [${results.join(' ')}] to be result expressions but only [${complete.join(' ')}] were`,
          'value',
        ),
    typeof value === 'string' && !refersToTasks(value, tasks, final)
      ? invalidValue('referencing a nonexistent task', 'value')
      : undefined,
  ]);
}

/** Whether everything between the `$`s of a text is a result of a known task. Text around them is none. */
function refersToTasks(text: string, tasks: Names, final: Names): boolean {
  const pieces = text.split('$').filter((piece) => piece !== '');
  return pieces.every((piece) => {
    const name = `$${piece}`.replace(/^\$\(/, '').replace(/\)$/, '');
    const reference = resultReference(name);
    if (!reference) return false;
    return (name.startsWith('tasks') ? tasks : final).has(reference.task);
  });
}

/** Results of Pipelines within Pipelines cannot be used yet. */
export function validateNestedResults(
  tasks: readonly PipelineTask[],
  final: readonly PipelineTask[],
): FieldErrors | undefined {
  const nested = namesOf(tasks.filter(({ pipelineRef, pipelineSpec }) => pipelineRef ?? pipelineSpec));
  if (nested.size === 0) return undefined;
  const check = (task: PipelineTask, index: number, part: string) =>
    resultReferencesOf(task)
      .filter((reference) => nested.has(reference.task))
      .map((reference) => {
        const message = `result reference to pipelineTask ${quoteGo(reference.task)} is not supported: referenced task uses pipelineRef or pipelineSpec and result propagation from child Pipelines is not yet implemented`;
        return invalidValue(message, '').viaFieldIndex(part, index);
      });
  return allErrors([
    ...tasks.flatMap((task, index) => check(task, index, 'tasks')),
    ...final.flatMap((task, index) => check(task, index, 'finally')),
  ]);
}

/** Each set of variables in the parameters and conditions of a task, with the way to it. */
function variableSets(task: PipelineTask): readonly VariableSet[] {
  const { params = [], when = [] } = task;
  return [
    ...params.map(({ name, value }) => ({
      variables: variablesInValue(value),
      path: 'value',
      via: (errors: FieldErrors) => errors.viaFieldKey('params', name),
    })),
    ...when.map((each, index) => ({
      variables: variablesInWhen(each),
      path: '',
      via: (errors: FieldErrors) => errors.viaFieldIndex('when', index),
    })),
  ];
}

interface VariableSet {
  readonly variables: readonly string[];
  readonly path: string;
  via(errors: FieldErrors): FieldErrors;
}

/** Final tasks may use results of the others, but not of each other. */
export function validateFinalResults(tasks: readonly PipelineTask[], final: readonly PipelineTask[]): FieldErrors {
  const [taskNames, finalNames] = [namesOf(tasks), namesOf(final)];
  const from = 'invalid task result reference, final task has task result reference from a';
  return allErrors(
    final.flatMap((task, index) =>
      variableSets(task).map(({ variables, path, via }) => {
        const names = variables.flatMap((name) => resultReference(name)?.task ?? []);
        const errors = names.map((name) => {
          if (finalNames.has(name)) return invalidValue(`${from} final task ${name}`, path);
          if (taskNames.has(name)) return undefined;
          return invalidValue(`${from} task ${name} which is not defined in the pipeline`, path);
        });
        return via(allErrors(errors)).viaIndex(index);
      }),
    ),
  );
}

const statusVariable = /^tasks\.(.*)\.(?:status|reason)$/s;
const isStatus = (name: string) => /^tasks\..*(?<=\.)(?:status|reason)$/s.test(name);

/** How tasks ended is known to final tasks only. */
export function validateStatusVariables(tasks: readonly PipelineTask[], final: readonly PipelineTask[]): FieldErrors {
  const names = namesOf(tasks);
  const check = (task: PipelineTask, violations: (variables: readonly string[]) => readonly string[]) =>
    variableSets(task)
      .filter(({ variables }) => !variables.some(looksLikeResult))
      .map(({ variables, path, via }) =>
        via(allErrors(violations(variables).map((message) => invalidValue(message, path)))),
      );
  const forbidden = (variables: readonly string[]) => (variables.some(isStatus) ? [noStatus] : []);
  const unknown = (variables: readonly string[]) =>
    variables
      .filter((name) => name !== 'tasks.status' && isStatus(name))
      .map((name) => statusVariable.exec(name)?.[1] ?? name.slice('tasks.'.length))
      .filter((name) => !names.has(name))
      .map((name) => `pipeline task ${name} is not defined in the pipeline`);
  return allErrors([
    ...tasks.map((task, index) => allErrors(check(task, forbidden)).viaFieldIndex('tasks', index)),
    ...final.map((task, index) => allErrors(check(task, unknown)).viaFieldIndex('finally', index)),
  ]);
}

const noStatus =
  'pipeline tasks can not refer to execution status of any other pipeline task or aggregate status of tasks';
