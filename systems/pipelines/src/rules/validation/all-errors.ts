import { FieldErrors } from '@tektite/controller/field-errors';

/** The errors of many parts together. Lists of any length: they come from users. */
export function allErrors(parts: readonly (FieldErrors | undefined)[]): FieldErrors {
  return new FieldErrors(parts.flatMap((errors) => errors?.errors ?? []));
}
