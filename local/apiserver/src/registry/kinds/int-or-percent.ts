import { type FieldError, type FieldPath, invalid, validatePercent } from '@tektite/meta';
import { checkNonNegative } from './field-checks.ts';

/** A number, or a part of a whole such as `25%`. */
export type IntOrPercent = number | string;

export function checkIntOrPercent(value: IntOrPercent, path: FieldPath, errors: FieldError[]): void {
  if (typeof value === 'number') checkNonNegative(value, path, errors);
  else for (const violation of validatePercent(value)) errors.push(invalid(path, value, violation));
}

function percentOf(value: IntOrPercent): number | undefined {
  return typeof value === 'string' && validatePercent(value).length === 0 ? Number(value.slice(0, -1)) : undefined;
}

/** The number, of things or of hundredths; what is neither counts as nothing. */
export function numberOf(value: IntOrPercent | undefined): number {
  if (value === undefined) return 0;
  if (typeof value === 'number') return value;
  return percentOf(value) ?? (/^[-+]?[0-9]+$/.test(value) ? Number(value) : 0);
}

export function checkAtMostAll(value: IntOrPercent, path: FieldPath, errors: FieldError[]): void {
  if ((percentOf(value) ?? 0) > 100) errors.push(invalid(path, value, 'must not be greater than 100%'));
}
