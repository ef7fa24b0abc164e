import type { GoType, Scalar } from '@tektite/go';
import { s } from '../kind/schema-builder.ts';
import type { JsonSchema } from '../structural-schema.ts';
import type { StructField, StructVersion } from './struct.ts';

const anything: JsonSchema = { 'x-kubernetes-preserve-unknown-fields': true };
const intOrString: readonly JsonSchema[] = [{ type: 'integer' }, { type: 'string' }];

const scalars: Partial<Readonly<Record<Scalar, JsonSchema>>> = {
  string: { type: 'string' },
  bool: { type: 'boolean' },
  bytes: { type: 'string', format: 'byte' },
  int32: { type: 'integer', format: 'int32' },
  int64: { type: 'integer', format: 'int64' },
  Time: { type: 'string', format: 'date-time' },
  Quantity: { ...s.quantity().schema, anyOf: intOrString },
  IntOrString: { 'x-kubernetes-int-or-string': true, anyOf: intOrString },
  RawExtension: { type: 'object', ...anything },
};

/** The description of a field of one of the system's structs. Fields of Kubernetes' structs have none. */
export type DescribeField = (struct: string, field: string) => string | undefined;

/**
 * Schemas of structs as controller-gen prints them into CustomResourceDefinitions. Structs that kinds share have one schema
 * object. A struct that contains itself must leave the schema out where it does.
 */
export class CrdSchemas {
  private readonly describe: DescribeField;
  private readonly known = new Map<StructVersion, JsonSchema>();

  constructor(describe: DescribeField = () => undefined) {
    this.describe = describe;
  }

  of(struct: StructVersion): JsonSchema {
    const known = this.known.get(struct);
    if (known) return known;
    const required = struct.fields.filter((field) => field.required).map(({ name }) => name);
    const schema: JsonSchema = {
      type: 'object',
      properties: Object.fromEntries(struct.fields.map((field) => [field.name, this.described(struct, field)])),
      ...(required.length > 0 ? { required: required.sort() } : {}),
      ...(struct.atomic ? { 'x-kubernetes-map-type': 'atomic' } : {}),
    };
    this.known.set(struct, schema);
    return schema;
  }

  private described({ key }: StructVersion, field: StructField): JsonSchema {
    const schema = this.ofField(field);
    const isBuiltin = key.includes('/');
    const description = isBuiltin ? undefined : this.describe(key.slice(key.indexOf('.') + 1), field.name);
    return description === undefined ? schema : { ...schema, description };
  }

  private ofField({ schema, type, default: value, listType, mapKeys }: StructField): JsonSchema {
    if (schema) return schema;
    return {
      ...this.ofType(type),
      ...(value === undefined ? {} : { default: value }),
      ...(listType ? { 'x-kubernetes-list-type': listType } : {}),
      ...(mapKeys ? { 'x-kubernetes-list-map-keys': mapKeys } : {}),
    };
  }

  private ofType(type: GoType): JsonSchema {
    switch (type.kind) {
      case 'pointer':
        return this.ofType(type.to);
      case 'list':
        return { type: 'array', items: this.ofType(type.element) };
      case 'map':
        return { type: 'object', additionalProperties: this.ofType(type.value) };
      case 'struct':
        // Built-in definitions and those of the builder both say what a schema needs.
        return this.of(type.struct() as StructVersion);
      case 'scalar':
        return scalars[type.scalar] ?? anything;
    }
  }
}

/** A schema that does not know one field. The path leads through properties; lists are stepped into. */
export function schemaWithout(schema: JsonSchema, [name = '', ...rest]: readonly string[]): JsonSchema {
  if (schema.items) return { ...schema, items: schemaWithout(schema.items as JsonSchema, [name, ...rest]) };
  const { [name]: found, ...others } = schema.properties ?? {};
  if (!found) return schema;
  const properties = rest.length > 0 ? { ...others, [name]: schemaWithout(found, rest) } : others;
  return { ...schema, properties };
}
