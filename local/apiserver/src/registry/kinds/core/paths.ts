import { type FieldError, type FieldPath, invalid } from '@tektite/meta';

/** A path inside a volume: relative, and never upwards. */
export function checkDescendingPath(value: string, path: FieldPath, errors: FieldError[]): void {
  if (value.startsWith('/')) errors.push(invalid(path, value, 'must be a relative path'));
  checkNoBacksteps(value, path, errors);
}

export function checkNoBacksteps(value: string, path: FieldPath, errors: FieldError[]): void {
  if (value.split('/').includes('..')) errors.push(invalid(path, value, "must not contain '..'"));
}

/** Names that start with two dots belong to the kubelet. */
export function checkNonReservedPath(value: string, path: FieldPath, errors: FieldError[]): void {
  checkDescendingPath(value, path, errors);
  if (value.startsWith('..') && !value.startsWith('../')) errors.push(invalid(path, value, "must not start with '..'"));
}

export const fileModeViolation = 'must be a number between 0 and 0777 (octal), both inclusive';

export function checkFileMode(mode: number | undefined, path: FieldPath, errors: FieldError[]): void {
  if (mode !== undefined && (mode > 0o777 || mode < 0)) errors.push(invalid(path, mode, fileModeViolation));
}
