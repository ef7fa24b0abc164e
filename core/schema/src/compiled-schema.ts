import type { FieldError, FieldPath } from '@tektite/meta';
import type { JsonSchema } from './structural-schema.ts';
import { validateListTypes } from './validate/list-uniqueness.ts';
import { uncorrelated, ValidatorFamily } from './validate/schema-validator.ts';
import { Violations } from './validate/violations.ts';

/** A schema made ready to check many values. */
export interface CompiledSchema {
  readonly schema: JsonSchema;
  /**
   * Validates a new value and returns the errors in the words of Kubernetes. `path` is the path of the value; without
   * one it is a whole object, and errors that belong to no field are reported at `<nil>`.
   */
  validate(value: unknown, path?: FieldPath): FieldError[];
  /**
   * Validates a value that replaces another. Errors of unchanged parts are ratcheted, so that an object that was stored
   * before the schema became stricter can still be changed elsewhere.
   */
  validateUpdate(value: unknown, old: unknown, path?: FieldPath): FieldError[];
  /** Repeated elements in lists of type `set` and `map`. */
  validateLists(value: unknown, path?: FieldPath): FieldError[];
}

const compiled = new WeakMap<JsonSchema, CompiledSchema>();

/**
 * Prepares a schema; the same one only once.
 *
 * @example
 * const replicas = compileSchema({ type: 'integer', minimum: 0 });
 * replicas.validate(-1, FieldPath.of('spec', 'replicas'));
 * // spec.replicas: Invalid value: -1: spec.replicas in body should be greater than or equal to 0
 */
export function compileSchema(schema: JsonSchema): CompiledSchema {
  const known = compiled.get(schema);
  if (known) return known;
  const validator = new ValidatorFamily().of(schema);
  const result: CompiledSchema = {
    schema,
    validate: (value, path) => {
      const violations = new Violations(path);
      validator.validate(value, uncorrelated, '', violations);
      return violations.errors;
    },
    validateUpdate: (value, old, path) => {
      const violations = new Violations(path);
      validator.validate(value, old, '', violations);
      return violations.errors;
    },
    validateLists: (value, path) => validateListTypes(value, schema, path),
  };
  compiled.set(schema, result);
  return result;
}
