import { type FieldError, FieldPath, invalid } from '@tektite/meta';
import { compileRuleValidator } from './cel/rule-validator.ts';
import { compileSchema } from './compiled-schema.ts';
import { type MetadataRules, validateEmbedded } from './embedded-resource.ts';
import type { JsonSchema } from './structural-schema.ts';

/** Everything that can be wrong with an object according to its schema, except its own metadata. */
export interface ResourceValidator {
  validateCreate(object: unknown): FieldError[];
  /** Parts that are as they were are forgiven. */
  validateUpdate(object: unknown, old: unknown): FieldError[];
  /** An update through `/status`: the schema judges only the status, rules and lists are those of the whole object. */
  validateStatusUpdate(object: unknown, old: unknown): FieldError[];
}

/** The kinds of errors after which rules would only fail for the wrong reasons. */
const blocking = new Set([
  'FieldValueNotSupported',
  'FieldValueRequired',
  'FieldValueTooLong',
  'FieldValueTooMany',
  'FieldValueTypeInvalid',
]);

const notChecked =
  'some validation rules were not checked because the object was invalid; correct the existing errors to complete validation';

/**
 * Puts all checks of a schema together as the API server does: the schema itself, embedded objects, lists whose
 * elements must differ and, if the object is sound enough for them, the rules.
 */
export function resourceValidator(schema: JsonSchema, metadata: MetadataRules): ResourceValidator {
  const compiled = compileSchema(schema);
  const rules = compileRuleValidator(schema, true);
  const status = schema.properties?.['status'];
  const compiledStatus = status && compileSchema(status);

  function finish(found: readonly FieldError[], object: unknown, old: unknown): FieldError[] {
    const isListChecked = old === undefined || compiled.validateLists(old).length === 0;
    const errors = [...found, ...(isListChecked ? compiled.validateLists(object) : [])];
    if (!rules) return errors;
    if (errors.some(({ reason }) => blocking.has(reason))) return [...errors, invalid('<nil>', null, notChecked)];
    return [...errors, ...rules.validate(object, old, { ratcheting: old !== undefined }).errors];
  }

  return {
    validateCreate: (object) =>
      finish([...compiled.validate(object), ...validateEmbedded(object, schema, metadata)], object, undefined),
    validateUpdate: (object, old) =>
      finish([...compiled.validateUpdate(object, old), ...validateEmbedded(object, schema, metadata)], object, old),
    validateStatusUpdate(object, old) {
      const [value, previous] = [statusOf(object), statusOf(old)];
      const errors =
        compiledStatus && value !== undefined
          ? compiledStatus.validateUpdate(value, previous, FieldPath.of('status'))
          : [];
      return finish(errors, object, old);
    },
  };
}

function statusOf(object: unknown): unknown {
  return typeof object === 'object' && object !== null ? (object as { status?: unknown }).status : undefined;
}
