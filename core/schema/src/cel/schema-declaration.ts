import { utf8Length } from '@tektite/meta';
import type { JsonSchema } from '../structural-schema.ts';
import {
  boolType,
  bytesType,
  type CelType,
  doubleType,
  durationType,
  dynType,
  intType,
  listType,
  mapType,
  stringType,
  structType,
  timestampType,
} from './language/type.ts';
import { escapePropertyName } from './property-name.ts';

/** A schema as expressions see it: its type, and how large its values can be. */
export interface SchemaDeclaration {
  readonly schema: JsonSchema;
  readonly type: CelType;
  /** The most elements, entries or characters a value can have; 0 for all that has no size. */
  readonly maxElements: number;
  /** The fewest bytes a value takes as JSON. */
  readonly minSerializedSize: number;
  /** The properties of an object by their escaped names. */
  readonly fields?: ReadonlyMap<string, FieldDeclaration>;
  /** The elements of a list, the values of a map. */
  readonly element?: SchemaDeclaration;
}

export interface FieldDeclaration {
  /** The name in JSON. */
  readonly name: string;
  readonly declaration: SchemaDeclaration;
}

/** The largest request the server takes; nothing inside of an object can be larger. */
export const maxRequestBytes = 3 * 1024 * 1024;
const maxText = maxRequestBytes - 2;
const maxTime = 32;
const dateSize = 12;

/** The schemas around a schema. One that contains itself ends where it would begin again. */
type Ancestors = readonly JsonSchema[];

/**
 * Declares a schema; `undefined` for what expressions cannot see: values without a type, and all that holds only such.
 * The root of an object always has apiVersion, kind and the name in its metadata.
 */
export function declareSchema(
  schema: JsonSchema,
  isResourceRoot: boolean,
  name = 'selfType',
  ancestors: Ancestors = [],
): SchemaDeclaration | undefined {
  if (ancestors.includes(schema)) return undefined;
  const within = [...ancestors, schema];
  if (schema['x-kubernetes-int-or-string'])
    return leaf(schema, dynType, 1, schema.maxLength === undefined ? maxText : Math.max(0, schema.maxLength) * 4);
  switch (schema.type) {
    case 'array':
      return declareList(schema, name, within);
    case 'object':
      return declareObject(isResourceRoot ? withMetadata(schema) : schema, name, within);
    case 'string':
      return declareString(schema);
    case 'boolean':
      return leaf(schema, boolType, 4, 0);
    case 'number':
      return leaf(schema, doubleType, 1, 0);
    case 'integer':
      return leaf(schema, intType, 1, 0);
    default:
      return undefined;
  }
}

function leaf(schema: JsonSchema, type: CelType, minSerializedSize: number, maxElements: number): SchemaDeclaration {
  return { schema, type, minSerializedSize, maxElements };
}

function declareString(schema: JsonSchema): SchemaDeclaration {
  const { format, maxLength } = schema;
  switch (format) {
    case 'byte':
      return leaf(schema, bytesType, 2, maxLength === undefined ? maxText : Math.max(0, maxLength));
    case 'duration':
      return leaf(schema, durationType, 3, maxTime);
    case 'date':
      return leaf(schema, timestampType, dateSize, dateSize);
    case 'date-time':
      return leaf(schema, timestampType, 21, maxTime);
    default:
      return leaf(schema, stringType, 2, maxStringLength(schema));
  }
}

/** A limit in characters is one of four times as many bytes. */
function maxStringLength({ maxLength, enum: values }: JsonSchema): number {
  if (maxLength !== undefined) return Math.max(0, maxLength) * 4;
  if (!values || values.length === 0) return maxText;
  return Math.max(0, ...values.map((value) => (typeof value === 'string' ? utf8Length(value) : 0)));
}

function declareList(schema: JsonSchema, name: string, within: Ancestors): SchemaDeclaration | undefined {
  if (!schema.items) return undefined;
  const element = declareSchema(
    schema.items,
    schema.items['x-kubernetes-embedded-resource'] === true,
    `${name}.@idx`,
    within,
  );
  if (!element) return undefined;
  const fitting = Math.floor(maxText / (element.minSerializedSize + 1));
  const maxElements = schema.maxItems === undefined ? fitting : Math.max(0, schema.maxItems);
  return { schema, type: listType(element.type), maxElements, minSerializedSize: 2, element };
}

function declareObject(schema: JsonSchema, name: string, within: Ancestors): SchemaDeclaration | undefined {
  const { additionalProperties } = schema;
  if (typeof additionalProperties === 'object') return declareMap(schema, additionalProperties, name, within);
  const required = new Set(schema.required);
  const fields = new Map<string, FieldDeclaration>();
  let minSerializedSize = 2;
  for (const [property, propertySchema] of Object.entries(schema.properties ?? {})) {
    const escaped = escapePropertyName(property);
    const isResource = propertySchema['x-kubernetes-embedded-resource'] === true;
    const declaration = declareSchema(propertySchema, isResource, `${name}.${escaped ?? property}`, within);
    if (!declaration) continue;
    if (escaped !== undefined) fields.set(escaped, { name: property, declaration });
    if (required.has(property) && propertySchema.default === undefined)
      minSerializedSize += utf8Length(property) + declaration.minSerializedSize + 4;
  }
  const types = new Map([...fields].map(([field, { declaration }]) => [field, declaration.type]));
  return { schema, type: structType(name, types), maxElements: 0, minSerializedSize, fields };
}

function declareMap(
  schema: JsonSchema,
  values: JsonSchema,
  name: string,
  within: Ancestors,
): SchemaDeclaration | undefined {
  const element = declareSchema(values, values['x-kubernetes-embedded-resource'] === true, `${name}.@elem`, within);
  if (!element) return undefined;
  const fitting = Math.floor(maxText / (element.minSerializedSize + 6));
  const maxElements = schema.maxProperties === undefined ? fitting : Math.max(0, schema.maxProperties);
  return { schema, type: mapType(stringType, element.type), maxElements, minSerializedSize: 2, element };
}

const maxNameLength = 253;

/** The schema with what every object has, whether it says so or not. */
export function withMetadata(schema: JsonSchema): JsonSchema {
  const known = schema.properties?.['metadata']?.properties ?? {};
  const name = (property: string, limit: number): JsonSchema => ({
    type: 'string',
    maxLength: Math.min(limit, known[property]?.maxLength ?? limit),
  });
  return {
    ...schema,
    properties: {
      ...schema.properties,
      kind: { type: 'string' },
      apiVersion: { type: 'string' },
      metadata: {
        type: 'object',
        properties: { name: name('name', maxNameLength), generateName: name('generateName', maxNameLength - 1) },
      },
    },
  };
}
