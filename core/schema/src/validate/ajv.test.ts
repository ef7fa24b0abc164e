import { Ajv } from 'ajv';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { compileSchema } from '../compiled-schema.ts';
import type { JsonSchema } from '../structural-schema.ts';

const json = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 3, withCrossShrink: true },
    fc.constantFrom('a', 'b', 'long text', '', 0, 1, 2, 5, -1, 1.5, true, false),
    fc.array(tie('value'), { maxLength: 3 }),
    fc.dictionary(fc.constantFrom('a', 'b', 'c'), tie('value'), { maxKeys: 3, noNullPrototype: true }),
  ),
})).value;

/** The keywords on which Kubernetes and JSON Schema agree. */
const schemas = fc.letrec<{ schema: JsonSchema }>((tie) => {
  const list = fc.array(tie('schema'), { minLength: 1, maxLength: 2 });
  const leaf = fc.record<JsonSchema>(
    {
      type: fc.constantFrom('string', 'integer', 'number', 'boolean', 'array', 'object'),
      enum: fc.uniqueArray(fc.constantFrom('a', 'b', 5, true), { minLength: 1, maxLength: 3 }),
      minimum: fc.integer({ min: -1, max: 2 }),
      maximum: fc.integer({ min: 0, max: 4 }),
      multipleOf: fc.constantFrom(1, 2),
      minLength: fc.integer({ min: 0, max: 2 }),
      maxLength: fc.integer({ min: 0, max: 4 }),
      pattern: fc.constantFrom('^a', 'b$', '[0-9]'),
      minItems: fc.integer({ min: 0, max: 2 }),
      maxItems: fc.integer({ min: 0, max: 2 }),
      uniqueItems: fc.boolean(),
      minProperties: fc.integer({ min: 0, max: 2 }),
      maxProperties: fc.integer({ min: 0, max: 2 }),
      required: fc.uniqueArray(fc.constantFrom('a', 'b'), { maxLength: 2 }),
    },
    { requiredKeys: [] },
  );
  const nested = fc.record<JsonSchema>(
    {
      properties: fc.dictionary(fc.constantFrom('a', 'b'), tie('schema'), { maxKeys: 2, noNullPrototype: true }),
      items: tie('schema'),
      additionalProperties: fc.oneof(tie('schema'), fc.boolean()),
      anyOf: list,
      oneOf: list,
      allOf: list,
      not: tie('schema'),
    },
    { requiredKeys: [] },
  );
  return {
    schema: fc.oneof(
      { maxDepth: 2 },
      leaf,
      fc.tuple(leaf, nested).map(([a, b]): JsonSchema => ({ ...a, ...b })),
    ),
  };
}).schema;

/** Kubernetes takes a fraction for the whole number in an enum; JSON Schema does not. */
const hasFractions = (value: unknown): boolean => JSON.stringify(value).includes('.');

describe('the validator', () => {
  it('accepts and refuses the same values as another JSON Schema validator', () => {
    const ajv = new Ajv({ strict: false, allErrors: true, validateFormats: false, addUsedSchema: false });
    fc.assert(
      fc.property(schemas, fc.array(json, { minLength: 1, maxLength: 5 }), (schema, values) => {
        const oracle = ajv.compile(schema);
        for (const value of values) {
          if (hasFractions(value)) continue;
          expect([value, compileSchema(schema).validate(value).length === 0]).toEqual([value, oracle(value)]);
        }
      }),
      { numRuns: 150 },
    );
  });
});
