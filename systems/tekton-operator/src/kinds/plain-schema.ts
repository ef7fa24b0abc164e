import { type JsonSchema, s } from '@tektite/schema';

const extensions = new Set(['x-kubernetes-patch-strategy', 'x-kubernetes-patch-merge-key']);

/** A built-in type's schema as a CustomResourceDefinition has it: without words that only built-in types know. */
export function plainSchema(schema: JsonSchema): JsonSchema {
  if (schema['x-kubernetes-int-or-string'])
    return {
      ...(schema.format === 'quantity' ? s.quantity().schema : { 'x-kubernetes-int-or-string': true }),
      anyOf: [{ type: 'integer' }, { type: 'string' }],
    };
  const entries = Object.entries(schema).filter(([key]) => !extensions.has(key));
  return Object.fromEntries(
    entries.map(([key, value]) => {
      if (key === 'properties')
        return [
          key,
          Object.fromEntries(Object.entries(value as object).map(([name, item]) => [name, plainSchema(item)])),
        ];
      if (key === 'items' || (key === 'additionalProperties' && typeof value === 'object'))
        return [key, plainSchema(value as JsonSchema)];
      return [key, value];
    }),
  );
}
