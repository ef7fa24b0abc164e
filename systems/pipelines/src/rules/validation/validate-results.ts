import {
  detailedError,
  type FieldErrors,
  genericError,
  invalidKeyName,
  invalidValue,
  missingField,
  noFieldErrors,
} from '@tektite/controller/field-errors';
import { validateDns1123Label, quoteGo } from '@tektite/meta';
import { typeOfValue } from '../../kinds/param.ts';
import type { StepResult, TaskResult } from '../../kinds/task-spec.ts';
import { allErrors } from './all-errors.ts';
import { findStepResult } from '../../substitution/find-step-result.ts';
import { wrongKeys } from './validate-params.ts';

const nameFormat = '^([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]$';
const namePattern = new RegExp(nameFormat);
const nameRule = `must consist of alphanumeric characters, '-', '_', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my-name',  or 'my_name', regex used for validation is '${nameFormat}')`;

/** Validates the results of a Task. */
export function validateTaskResults(results: readonly TaskResult[]): FieldErrors {
  return allErrors(results.map((result, index) => validateTaskResult(result).viaIndex(index)));
}

function validateTaskResult(result: TaskResult): FieldErrors {
  const { name, type = '' } = result;
  if (!namePattern.test(name)) return badName(name);
  let errors = noFieldErrors;
  if (type === 'object') errors = errors.also(validateObject(result, 'The'));
  else if (!['', 'array', 'string'].includes(type))
    errors = errors.also(invalidValue(type, 'type', 'type must be string'));
  return errors.also(validateValue(result));
}

/** Validates the results of a step or a StepAction. */
export function validateStepResults(results: readonly StepResult[]): FieldErrors {
  return allErrors(results.map((result, index) => validateStepResult(result)?.viaIndex(index)));
}

function validateStepResult(result: StepResult): FieldErrors | undefined {
  const { name, type = '' } = result;
  if (!namePattern.test(name)) return badName(name);
  if (type === 'object') return validateObject(result, 'the');
  return ['', 'array', 'string'].includes(type) ? undefined : invalidValue(type, 'type', `invalid type ${type}`);
}

const badName = (name: string) => invalidKeyName(name, 'name', `Name ${nameRule}`);

function validateObject({ name, properties }: StepResult, article: 'The' | 'the'): FieldErrors | undefined {
  if (properties === undefined) return missingField(`${name}.properties`);
  const bad = wrongKeys(properties);
  if (bad.length === 0) return undefined;
  return genericError(
    `${article} value type specified for these keys [${bad.join(' ')}] is invalid, the type must be string`,
    `${name}.properties`,
  );
}

/** A value is a result of a step, and nothing else. */
function validateValue({ name, value }: TaskResult): FieldErrors | undefined {
  if (value === undefined || value === '') return undefined;
  if (typeof value !== 'string')
    return genericError(`Invalid Type. Wanted string but got: "${typeOfValue(value)}"`, `${name}.type`);
  const paths = [`${name}.value`];
  const reference = findStepResult(value);
  if (!reference)
    return genericError(
      `Could not extract step name and result name. Expected value to look like $(steps.<stepName>.results.<resultName>) but got "${value}"`,
      ...paths,
    );
  const { step, result } = reference;
  const where = 'in $(steps.<stepName>.results.<resultName>)';
  const message = `invalid extracted step name ${quoteGo(step)}`;
  const details = `stepName ${where} must be a valid DNS Label, For more info refer to https://kubernetes.io/docs/concepts/overview/working-with-objects/names/#names`;
  return noFieldErrors.also(
    validateDns1123Label(step).length === 0 ? undefined : detailedError({ message, paths, details }),
    namePattern.test(result)
      ? undefined
      : detailedError({
          message: `invalid extracted result name ${quoteGo(result)}`,
          paths,
          details: `resultName ${where} ${nameRule}`,
        }),
  );
}
