/** Validation errors with paths, in the format of Knative's webhooks (and so Tekton's). */
export {
  detailedError,
  disallowedField,
  genericError,
  invalidArrayValue,
  invalidKeyName,
  invalidValue,
  missingField,
  missingOneOf,
  multipleOneOf,
  noFieldErrors,
  outOfBounds,
} from './field-error-kinds.ts';
export { FieldErrors } from './field-errors.ts';
export type { DiagnosticLevel, KnativeFieldError } from './knative-field-error.ts';
