import type { GoType, Scalar } from '@tektite/go';
import type { JsonSchema } from '../structural-schema.ts';
import { type Definition, definitionOf, type FieldDefinition } from './definition.ts';

type Draft<T> = { -readonly [K in keyof T]: T[K] };

const schemas = new Map<string, JsonSchema>();
const keyDefaults = new WeakMap<JsonSchema, ReadonlyMap<string, unknown>>();

/**
 * The structural schema of a built-in type, by the key of its definition. The same object each time.
 *
 * Schemas are shared between the kinds that use a type and may refer to themselves (JSONSchemaProps does), so code that
 * walks one follows an object, never the schema alone.
 */
export function builtinSchema(key: string): JsonSchema {
  const known = schemas.get(key);
  if (known) return known;
  const schema: Draft<JsonSchema> = { type: 'object' };
  // Registered before its fields are read: a type may contain itself.
  schemas.set(key, schema);
  fill(schema, definitionOf(key));
  return schema;
}

/**
 * The value that an absent key of a list-map has in server-side apply: its zero value, where Go always prints the field.
 * `undefined` for other fields, and for schemas of custom resources.
 */
export function builtinKeyDefault(schema: JsonSchema, name: string): unknown {
  return keyDefaults.get(schema)?.get(name);
}

/** References by name alone default to the empty name, although it may be left out. */
const localReference = 'core/v1.LocalObjectReference';

function fill(schema: Draft<JsonSchema>, definition: Definition): void {
  const properties: Record<string, JsonSchema> = {};
  for (const field of definition.fields) properties[field.name] = fieldSchema(field);
  schema.properties = properties;
  const required = definition.fields.filter((field) => field.required).map((field) => field.name);
  if (required.length > 0) schema.required = required;
  if (definition.atomic) schema['x-kubernetes-map-type'] = 'atomic';
  const defaulted = definition.fields.filter((field) => field.required || definition.key === localReference);
  keyDefaults.set(schema, new Map(defaulted.map(({ name }) => [name, zeroOf(properties[name])])));
}

function zeroOf(schema: JsonSchema | undefined): unknown {
  return schema?.type === 'integer' ? 0 : '';
}

function fieldSchema(field: FieldDefinition): JsonSchema {
  const base = typeSchema(field.type);
  if (!field.listType && !field.atomic && !field.patchStrategy && !field.patchMergeKey && field.default === undefined)
    return base;
  const schema: Draft<JsonSchema> = { ...base };
  if (field.default !== undefined) schema.default = field.default;
  if (field.listType) schema['x-kubernetes-list-type'] = field.listType;
  if (field.mapKeys) schema['x-kubernetes-list-map-keys'] = field.mapKeys;
  if (field.atomic) schema['x-kubernetes-map-type'] = 'atomic';
  if (field.patchStrategy) schema['x-kubernetes-patch-strategy'] = field.patchStrategy;
  if (field.patchMergeKey) schema['x-kubernetes-patch-merge-key'] = field.patchMergeKey;
  return schema;
}

function typeSchema(type: GoType): JsonSchema {
  switch (type.kind) {
    case 'pointer':
      return typeSchema(type.to);
    case 'list':
      return { type: 'array', items: typeSchema(type.element) };
    case 'map':
      return { type: 'object', additionalProperties: typeSchema(type.value) };
    case 'struct':
      return builtinSchema(type.definition);
    case 'scalar':
      return scalarSchemas[type.scalar];
  }
}

const scalarSchemas: Readonly<Record<Scalar, JsonSchema>> = {
  string: { type: 'string' },
  bool: { type: 'boolean' },
  int32: { type: 'integer', format: 'int32' },
  int64: { type: 'integer', format: 'int64' },
  float64: { type: 'number', format: 'double' },
  bytes: { type: 'string', format: 'byte' },
  Time: { type: 'string', format: 'date-time' },
  MicroTime: { type: 'string', format: 'date-time' },
  Quantity: { 'x-kubernetes-int-or-string': true, format: 'quantity' },
  IntOrString: { 'x-kubernetes-int-or-string': true, format: 'int-or-string' },
  FieldsV1: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
  RawExtension: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true, 'x-kubernetes-map-type': 'atomic' },
  JSON: { 'x-kubernetes-preserve-unknown-fields': true },
  JSONSchemaPropsOrArray: { 'x-kubernetes-preserve-unknown-fields': true },
  JSONSchemaPropsOrBool: { 'x-kubernetes-preserve-unknown-fields': true },
  JSONSchemaPropsOrStringArray: { 'x-kubernetes-preserve-unknown-fields': true },
};
