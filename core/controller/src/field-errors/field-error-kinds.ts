import { formatGoValue } from '@tektite/go';
import { quoteGo } from '@tektite/meta';
import { FieldErrors } from './field-errors.ts';

/** Nothing is wrong; something to start from. */
export const noFieldErrors: FieldErrors = new FieldErrors([]);

/** Any message, for any number of paths. The path of the checked value itself is the empty string. */
export function genericError(message: string, ...paths: readonly string[]): FieldErrors {
  return detailedError({ message, paths });
}

/** Any message with details below it. */
export function detailedError(error: {
  readonly message: string;
  readonly paths: readonly string[];
  readonly details?: string;
}): FieldErrors {
  const { message, paths, details = '' } = error;
  return new FieldErrors([{ level: 'error', message, paths, details }]);
}

export function missingField(...paths: readonly string[]): FieldErrors {
  return genericError('missing field(s)', ...paths);
}

export function disallowedField(...paths: readonly string[]): FieldErrors {
  return genericError('must not set the field(s)', ...paths);
}

/** Several details stand on one line. */
export function invalidValue(value: unknown, path: string, ...details: readonly string[]): FieldErrors {
  const message = `invalid value: ${formatGoValue(value)}`;
  return detailedError({ message, paths: [path], details: details.join(', ') });
}

export function invalidArrayValue(value: unknown, field: string, index: number): FieldErrors {
  return invalidValue(value, '').viaFieldIndex(field, index);
}

export function invalidKeyName(key: string, path: string, ...details: readonly string[]): FieldErrors {
  return detailedError({ message: `invalid key name ${quoteGo(key)}`, paths: [path], details: details.join(', ') });
}

export function missingOneOf(...paths: readonly string[]): FieldErrors {
  return genericError('expected exactly one, got neither', ...paths);
}

export function multipleOneOf(...paths: readonly string[]): FieldErrors {
  return genericError('expected exactly one, got both', ...paths);
}

export function outOfBounds(value: unknown, lower: unknown, upper: unknown, path: string): FieldErrors {
  return genericError(`expected ${formatGoValue(lower)} <= ${formatGoValue(value)} <= ${formatGoValue(upper)}`, path);
}
