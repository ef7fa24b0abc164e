import { defineKind, type JsonSchema } from '@tektite/schema';
import { describeField, kindDescriptions } from './field-descriptions.ts';

/** A kind of this system. Its fields get their descriptions here, because most of them are shared between kinds. */
export const operatorKind: typeof defineKind = (options) => {
  const kind = defineKind({ description: kindDescriptions[options.kind] ?? '', ...options });
  return { ...kind, schema: describeParts(kind.schema as JsonSchema, options.kind) };
};

function describeParts(schema: JsonSchema, kind: string): JsonSchema {
  const { spec, status } = schema.properties ?? {};
  return {
    ...schema,
    properties: {
      ...schema.properties,
      ...(spec ? { spec: describeObject(spec, 'Desired state.', kind) } : {}),
      ...(status ? { status: describeObject(status, 'Observed state, written by the operator.', kind) } : {}),
    },
  };
}

/** Describes an object and the fields in it. Fields of lists and maps, and of built-in types, keep what they have. */
function describeObject(schema: JsonSchema, description: string, owner: string): JsonSchema {
  if (!schema.properties) return { description, ...schema };
  const fields = Object.entries(schema.properties).map(([name, field]) => [
    name,
    describeObject(field, describeField(name, owner), name),
  ]);
  return { description, ...schema, properties: Object.fromEntries(fields) as NonNullable<JsonSchema['properties']> };
}
