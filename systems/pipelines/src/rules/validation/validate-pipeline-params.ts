import { type FieldErrors, genericError, noFieldErrors } from '@tektite/controller/field-errors';
import type { Param, ParamSpec } from '../../kinds/param.ts';
import type { Matrix, PipelineTask } from '../../kinds/pipeline-spec.ts';
import type { WhenExpression } from '../../kinds/when-expression.ts';
import { isMatrixed } from '../../pipeline/matrix.ts';
import { allErrors } from './all-errors.ts';
import { keysOf, paramsOfType } from './validate-params.ts';
import {
  isolatedVariables,
  type KnownVariables,
  knownVariables,
  prohibitedVariables,
  prohibitedWholes,
  type TextCheck,
} from './validate-variables.ts';

/** Each parameter of a task is given once. */
export function validateUniqueTaskParams(params: readonly Param[] = []): FieldErrors {
  const seen = new Set<string>();
  return allErrors(
    params.map(({ name }, index) => {
      const isDouble = seen.has(name);
      seen.add(name);
      const message = `parameter names must be unique, the parameter "${name}" is also defined at`;
      return isDouble ? genericError(message, `[${index}].name`) : undefined;
    }),
  );
}

/** Where the parameters of the Pipeline are used in its tasks: whether they are declared, and whether their type fits. */
export function validatePipelineParams(tasks: readonly PipelineTask[], specs: readonly ParamSpec[]): FieldErrors {
  const checks = checksOf(specs);
  return allErrors([
    ...tasks.map((task, index) => validateTask(task, checks).viaIndex(index)),
    ...tasks.map(({ params }, index) => validateUniqueTaskParams(params).viaField('params').viaIndex(index)),
  ]);
}

interface Checks {
  readonly text: TextCheck;
  readonly item: TextCheck;
  readonly known: TextCheck;
  readonly arrays: KnownVariables;
}

function checksOf(specs: readonly ParamSpec[]): Checks {
  const known = knownVariables({ prefix: 'params', names: new Set(specs.map(({ name }) => name)) });
  const arrays = paramsOfType(specs, 'array');
  // An object without keys is not seen as one.
  const objects = specs.filter(({ type, properties = {} }) => type === 'object' && Object.keys(properties).length > 0);
  const common = [
    known,
    ...objects.map((spec) => knownVariables(keysOf(spec))),
    prohibitedWholes({ prefix: 'params', names: new Set(objects.map(({ name }) => name)) }),
  ];
  return {
    known,
    arrays,
    text: all([...common, prohibitedVariables(arrays)]),
    item: all([...common, isolatedVariables(arrays)]),
  };
}

const all =
  (checks: readonly TextCheck[]): TextCheck =>
  (text) =>
    text.includes('$(') ? allErrors(checks.map((check) => check(text))) : undefined;

function validateTask(task: PipelineTask, checks: Checks): FieldErrors {
  return allErrors([
    validateUniqueTaskParams(task.params).viaField('params'),
    ...(task.params ?? []).map((param) => validateParam(param, checks)),
    task.matrix && isMatrixed(task) ? validateMatrixParams(task.matrix, checks) : undefined,
    ...(task.when ?? []).map((when, index) => validateWhenParams(when, checks).viaFieldIndex('when', index)),
  ]);
}

/** `$(params.list[*])` and nothing else. */
const wholeReference =
  /^\$\(params(?:\.[_a-zA-Z0-9.-]+\[\*\]|\["[_a-zA-Z0-9.-]+\[\*\]"\]|\['[_a-zA-Z0-9.-]+\[\*\]'\])\)$/;

function validateParam({ name, value }: Param, { text, item, known }: Checks): FieldErrors | undefined {
  if (typeof value === 'string')
    return (wholeReference.test(value) ? known(value) : text(value))?.viaFieldKey('params', name);
  if (Array.isArray(value))
    return allErrors(
      (value as readonly string[]).map((each, index) => item(each)?.viaFieldIndex('value', index)),
    ).viaFieldKey('params', name);
  return allErrors(Object.entries(value).map(([key, each]) => text(each)?.viaFieldKey('properties', key))).viaFieldKey(
    'params',
    name,
  );
}

function validateMatrixParams({ params = [], include = [] }: Matrix, { text, item }: Checks): FieldErrors {
  const listOf = ({ value }: Param) => (Array.isArray(value) ? (value as readonly string[]) : []);
  return allErrors([
    ...include.flatMap(({ params: included = [] }) =>
      included.map(({ value }, index) =>
        text(typeof value === 'string' ? value : '')
          ?.viaFieldIndex('', index)
          .viaField('matrix.include.params', ''),
      ),
    ),
    ...params.flatMap((param) =>
      listOf(param).map((each, index) =>
        item(each)?.viaFieldIndex('value', index).viaFieldKey('matrix.params', param.name),
      ),
    ),
  ]);
}

function validateWhenParams({ input = '', values = [] }: WhenExpression, { text, item, arrays }: Checks): FieldErrors {
  const isArray = (value: string) => arrays.names.has(value.replace(/^\$\(params\./, '').replace(/\[\*\]\)$/, ''));
  return noFieldErrors
    .also(text(input)?.viaField('input'))
    .also(allErrors(values.map((value) => (isArray(value) ? item(value) : text(value))?.viaField('values'))));
}
