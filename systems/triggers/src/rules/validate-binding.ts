import {
  type FieldErrors,
  invalidValue,
  missingField,
  multipleOneOf,
  noFieldErrors,
} from '@tektite/controller/field-errors';
import type { TriggerBindingObject, TriggerBindingSpec } from '../kinds/binding.ts';
import type { Param } from '../kinds/param.ts';
import { validateMetadata } from './validate-metadata.ts';

export function validateTriggerBinding({ metadata, spec }: TriggerBindingObject): FieldErrors {
  return validateMetadata(metadata).also(validateBindingSpec(spec).viaField('spec'));
}

/** Upstream reports only the name when that is wrong, and gives paths without `spec`. */
export function validateClusterTriggerBinding({ metadata, spec }: TriggerBindingObject): FieldErrors {
  const errors = validateMetadata(metadata);
  return errors.isEmpty ? validateBindingSpec(spec) : errors;
}

function validateBindingSpec({ params = [] }: TriggerBindingSpec): FieldErrors {
  if (params.length === 0) return missingField('');
  return validateParams(params).viaField('params');
}

/** Returns the first error. */
function validateParams(params: readonly Param[]): FieldErrors {
  const seen = new Set<string>();
  for (const [index, { name, value }] of params.entries()) {
    if (seen.has(name)) return multipleOneOf(`[${index}].name`);
    seen.add(name);
    if (hasUnterminatedExpression(value)) return invalidValue(value, 'value').viaField(`[${index}]`);
  }
  return noFieldErrors;
}

/** Whether a `$(` before the last one has no closing parenthesis before the next. */
function hasUnterminatedExpression(value: string): boolean {
  return value
    .split('$(')
    .slice(1, -1)
    .some((part) => !closesItself(part));
}

function closesItself(part: string): boolean {
  let open = 0;
  for (const character of part) {
    if (character === '(') open++;
    else if (character === ')' && --open < 0) return true;
  }
  return false;
}
