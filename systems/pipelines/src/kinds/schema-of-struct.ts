import { type JsonSchema, s } from '@tektite/schema';
import type { GoType, Scalar } from '@tektite/go';
import { fieldDescription } from './descriptions/field-description.ts';
import { type StructField, structOf } from './struct-table.ts';

const schemas = new Map<string, JsonSchema>();
const anything: JsonSchema = { 'x-kubernetes-preserve-unknown-fields': true };
const text: JsonSchema = { type: 'string' };
const quantity: JsonSchema = { ...s.quantity().schema, anyOf: [{ type: 'integer' }, { type: 'string' }] };
const intOrString: JsonSchema = {
  'x-kubernetes-int-or-string': true,
  anyOf: [{ type: 'integer' }, { type: 'string' }],
};

const scalars: Partial<Readonly<Record<Scalar, JsonSchema>>> = {
  string: text,
  bool: { type: 'boolean' },
  int32: { type: 'integer', format: 'int32' },
  int64: { type: 'integer', format: 'int64' },
  Time: { type: 'string', format: 'date-time' },
  Quantity: quantity,
  IntOrString: intOrString,
  RawExtension: { type: 'object', ...anything },
};

/** Structs that decode themselves, and what a schema says of them. */
const special: Readonly<Record<string, JsonSchema>> = {
  'meta/v1.Duration': text,
  'tekton/apis.VolatileTime': text,
};

/** The schema of a struct, as upstream's CustomResourceDefinitions print it. The same object each time. */
export function schemaOfStruct(key: string): JsonSchema {
  const known = Object.hasOwn(special, key) ? special[key] : schemas.get(key);
  if (known) return known;
  const { fields, atomic, goName } = structOf(key);
  // Built-in structs have names like Tekton's.
  const describe = (field: string) => (key.startsWith('tekton/') ? fieldDescription(goName, field) : undefined);
  const required = fields.filter((field) => field.required).map(({ name }) => name);
  const schema: JsonSchema = {
    type: 'object',
    properties: Object.fromEntries(
      fields.map((field) => [field.name, described(schemaOfField(field), describe(field.name))]),
    ),
    ...(required.length > 0 ? { required: required.sort() } : {}),
    ...(atomic ? { 'x-kubernetes-map-type': 'atomic' } : {}),
  };
  schemas.set(key, schema);
  return schema;
}

function described(schema: JsonSchema, description: string | undefined): JsonSchema {
  return description === undefined ? schema : { ...schema, description };
}

/** A schema that does not know one field. The path leads through properties; lists are stepped into. */
export function schemaWithout(schema: JsonSchema, [name = '', ...rest]: readonly string[]): JsonSchema {
  if (schema.items) return { ...schema, items: schemaWithout(schema.items as JsonSchema, [name, ...rest]) };
  const { [name]: found, ...others } = schema.properties ?? {};
  if (!found) return schema;
  const properties = rest.length > 0 ? { ...others, [name]: schemaWithout(found, rest) } : others;
  return { ...schema, properties };
}

function schemaOfField(field: StructField): JsonSchema {
  if (field.schemaless) return anything;
  const schema = schemaOfType(field.type);
  return {
    ...schema,
    ...(field.default === undefined ? {} : { default: field.default }),
    ...(field.listType ? { 'x-kubernetes-list-type': field.listType } : {}),
    ...(field.mapKeys ? { 'x-kubernetes-list-map-keys': field.mapKeys } : {}),
  };
}

const portKeys: JsonSchema = {
  'x-kubernetes-list-type': 'map',
  'x-kubernetes-list-map-keys': ['containerPort', 'protocol'],
};

function isPort(type: GoType): boolean {
  return type.kind === 'struct' && type.definition === 'core/v1.ContainerPort';
}

function schemaOfType(type: GoType): JsonSchema {
  switch (type.kind) {
    case 'pointer':
      return schemaOfType(type.to);
    case 'list':
      return { type: 'array', items: schemaOfType(type.element), ...(isPort(type.element) ? portKeys : {}) };
    case 'map':
      return { type: 'object', additionalProperties: schemaOfType(type.value) };
    case 'struct':
      return schemaOfStruct(type.definition);
    case 'scalar':
      // Go's own `int` has no format.
      if (type.goName === 'int' || type.goName === 'result.ResultType') return { type: 'integer' };
      return scalars[type.scalar] ?? anything;
  }
}
