import { jsonTypeName, mismatchText } from '@tektite/go';
import { quoteGo } from '@tektite/meta';
import type { JsonSchema, Kind } from '@tektite/schema';

/** The Go name of a struct field: its struct, and its type. By path, without indexes (`spec.steps`). */
export type GoFieldNames = Readonly<Record<string, { readonly struct: string; readonly type: string }>>;

export interface DecodeOptions {
  /** Whether fields that the schema does not know are refused. Those of `metadata` never are. */
  readonly strict?: boolean;
  /** For messages that are the same as those of a program written in Go. */
  readonly goNames?: GoFieldNames;
}

/**
 * The first decoding error of a value: a field of another JSON type than the schema says or, if requested, an unknown
 * field. In the words of Go's JSON decoder. `undefined` when the value can be used as its type.
 *
 * Mutating webhooks are called before the API server validates the schema, so their functions would otherwise receive a
 * list where their type promises a string. Like Go, null counts as absent; missing fields are not checked.
 */
export function decodeError(value: unknown, kind: Kind, options: DecodeOptions = {}): string | undefined {
  const { schema } = kind;
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    return mismatchText(jsonName(value), `${kind.version}.${kind.kind}`);
  if (!schema) return undefined;
  return new Decoder(kind.kind, options).object(value as Record<string, unknown>, schema, '', true);
}

class Decoder {
  private readonly root: string;
  private readonly options: DecodeOptions;

  constructor(root: string, options: DecodeOptions) {
    this.root = root;
    this.options = options;
  }

  object(
    map: Readonly<Record<string, unknown>>,
    schema: JsonSchema,
    path: string,
    isResource: boolean,
  ): string | undefined {
    const { properties, additionalProperties } = schema;
    const isOpen = schema['x-kubernetes-preserve-unknown-fields'] === true || !properties;
    for (const key of Object.keys(map)) {
      const place = path === '' ? key : `${path}.${key}`;
      if (isResource && (key === 'metadata' || key === 'apiVersion' || key === 'kind')) {
        const error = this.value(map[key], key === 'metadata' ? { type: 'object' } : { type: 'string' }, place);
        if (error !== undefined) return error;
        continue;
      }
      const known = properties && Object.hasOwn(properties, key) ? properties[key] : undefined;
      const field = known ?? (typeof additionalProperties === 'object' ? additionalProperties : undefined);
      const error = field
        ? this.value(map[key], field, place)
        : this.options.strict && !isOpen && additionalProperties === undefined
          ? `json: unknown field ${quoteGo(key)}`
          : undefined;
      if (error !== undefined) return error;
    }
    return undefined;
  }

  private value(value: unknown, schema: JsonSchema, path: string): string | undefined {
    if (value === null || value === undefined || schema['x-kubernetes-int-or-string']) return undefined;
    if (schema.type !== undefined && !hasType(value, schema.type)) return this.mismatch(value, schema, path);
    if (Array.isArray(value)) {
      const { items } = schema;
      if (!items) return undefined;
      for (const item of value) {
        const error = this.value(item, items, path);
        if (error !== undefined) return error;
      }
      return undefined;
    }
    if (typeof value !== 'object') return undefined;
    const isResource = schema['x-kubernetes-embedded-resource'] === true;
    return this.object(value as Record<string, unknown>, schema, path, isResource);
  }

  private mismatch(value: unknown, schema: JsonSchema, path: string): string {
    const names = this.options.goNames;
    const { struct, type } = (names && Object.hasOwn(names, path) ? names[path] : undefined) ?? {
      struct: this.root,
      type: goType(schema),
    };
    return mismatchText(jsonName(value), type, `${struct}.${path}`);
  }
}

function hasType(value: unknown, type: string): boolean {
  switch (type) {
    case 'object':
      return typeof value === 'object' && !Array.isArray(value);
    case 'array':
      return Array.isArray(value);
    case 'integer':
      return Number.isInteger(value);
    case 'number':
      return typeof value === 'number';
    default:
      return typeof value === type;
  }
}

/** Go names a fraction where it wants an integer. */
function jsonName(value: unknown): string {
  return typeof value === 'number' && !Number.isInteger(value) ? `number ${value}` : jsonTypeName(value ?? null);
}

/** A fair guess: the names of structs are not in a schema. */
function goType({ type, format, items, additionalProperties }: JsonSchema): string {
  switch (type) {
    case 'array':
      return `[]${items ? goType(items) : 'interface {}'}`;
    case 'boolean':
      return 'bool';
    case 'integer':
      return format === 'int32' ? 'int32' : 'int64';
    case 'number':
      return 'float64';
    case 'object':
      return typeof additionalProperties === 'object' ? `map[string]${goType(additionalProperties)}` : 'struct';
    default:
      return type ?? 'interface {}';
  }
}
