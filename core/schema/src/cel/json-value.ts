import { equalJson } from '@tektite/meta';
import { parseFormatDuration } from '../format/string-format.ts';
import { listMapKey } from '../validate/list-correlation.ts';
import { equalValues } from './language/equality.ts';
import { EvaluationError } from './language/evaluation.ts';
import { type CelType, dynType, mapType, stringType } from './language/type.ts';
import { ArrayList, Duration, ListValue, MapValue, OpaqueValue, type Value } from './language/value.ts';
import { parseTimestamp } from './library/time.ts';
import type { SchemaDeclaration } from './schema-declaration.ts';

type JsonMap = Readonly<Record<string, unknown>>;
type Convert = (json: unknown) => Value;

/** A list of JSON, whose elements are converted on access. */
class JsonList extends ListValue {
  readonly items: readonly unknown[];
  protected readonly convert: Convert;

  constructor(items: readonly unknown[], convert: Convert) {
    super();
    this.items = items;
    this.convert = convert;
  }

  get size(): number {
    return this.items.length;
  }

  at(index: number): Value {
    return this.convert(this.items[index]);
  }
}

/** A list that stands for a set: order does not count, and a sum has each element once. */
class JsonSet extends JsonList {
  override equalTo(other: ListValue): boolean {
    if (other.size !== this.size) return false;
    const items = [...this];
    return [...other].every((item) => items.some((own) => equalValues(own, item)));
  }

  override concat(other: ListValue): ListValue {
    const items = [...this];
    const added = [...other].filter((item) => !items.some((own) => equalValues(own, item)));
    return new ArrayList([...items, ...added]);
  }
}

/** A list that stands for a map: order does not count, and in a sum the later element of a key wins. */
class JsonMapList extends JsonList {
  private readonly keys: readonly string[];

  constructor(items: readonly unknown[], convert: Convert, keys: readonly string[]) {
    super(items, convert);
    this.keys = keys;
  }

  private keyOf(value: Value): string | undefined {
    return value instanceof JsonObject ? listMapKey(value.json, this.keys) : undefined;
  }

  override equalTo(other: ListValue): boolean {
    if (other.size !== this.size) return false;
    const byKey = new Map(this.items.map((item) => [listMapKey(item, this.keys), item]));
    for (const value of other) {
      const key = this.keyOf(value);
      if (key === undefined || !byKey.has(key)) return false;
      if (!equalValues(this.convert(byKey.get(key)), value)) return false;
    }
    return true;
  }

  override concat(other: ListValue): ListValue {
    const positions = new Map(this.items.map((item, index) => [listMapKey(item, this.keys), index]));
    const items = [...this];
    for (const value of other) {
      const position = positions.get(this.keyOf(value));
      if (position === undefined) items.push(value);
      else items[position] = value;
    }
    return new ArrayList(items);
  }
}

/** A JSON object, seen as an object with fields or as a map. */
class JsonObject extends MapValue {
  readonly json: JsonMap;
  readonly type: CelType;
  private readonly declaration: SchemaDeclaration | undefined;

  constructor(json: JsonMap, type: CelType, declaration: SchemaDeclaration | undefined) {
    super();
    this.json = json;
    this.type = type;
    this.declaration = declaration;
  }

  get size(): number {
    return Object.keys(this.json).length;
  }

  find(key: Value): Value | undefined {
    if (typeof key !== 'string') return undefined;
    const field = this.declaration?.fields?.get(key);
    const name = field?.name ?? key;
    if (!Object.hasOwn(this.json, name) || this.json[name] === undefined) return undefined;
    const declaration = field?.declaration ?? this.declaration?.element;
    if (declaration) return schemaValue(this.json[name], declaration);
    return this.declaration ? new PreservedValue(this.json[name]) : jsonValue(this.json[name]);
  }

  *keys(): Iterable<Value> {
    const escaped = new Map([...(this.declaration?.fields ?? [])].map(([field, { name }]) => [name, field]));
    for (const key of Object.keys(this.json)) if (this.json[key] !== undefined) yield escaped.get(key) ?? key;
  }
}

/** Something the schema says nothing about: it can be compared and nothing else. */
class PreservedValue extends OpaqueValue {
  readonly type: CelType = { kind: 'opaque', name: 'unknown', params: [] };
  private readonly json: unknown;

  constructor(json: unknown) {
    super();
    this.json = json;
  }

  equals(other: OpaqueValue): boolean {
    return other instanceof PreservedValue && equalJson(this.json, other.json);
  }
}

/** JSON of which nothing is known: whole numbers are ints, all others doubles. */
export function jsonValue(json: unknown): Value {
  switch (typeof json) {
    case 'string':
    case 'boolean':
    case 'bigint':
      return json;
    case 'number':
      return Number.isInteger(json) ? BigInt(json) : json;
    default:
      if (json === null || json === undefined) return null;
      if (Array.isArray(json)) return new JsonList(json, jsonValue);
      return new JsonObject(json as JsonMap, mapType(stringType, dynType), undefined);
  }
}

/** JSON as its schema declares it: dates are timestamps, base64 is bytes, a number is a double even when it is whole. */
export function schemaValue(json: unknown, declaration: SchemaDeclaration): Value {
  const { schema, type } = declaration;
  if (json === null || json === undefined) {
    if (schema.nullable) return null;
    throw new EvaluationError('invalid data, got null for schema with nullable=false');
  }
  switch (type.kind) {
    case 'dyn':
      if (typeof json === 'string') return json;
      if (typeof json === 'bigint') return json;
      if (typeof json === 'number' && Number.isInteger(json)) return BigInt(json);
      throw new EvaluationError('invalid data, expected XIntOrString value to be either a string or integer');
    case 'list':
      return listValue(json, declaration);
    case 'map':
    case 'struct':
      if (typeof json !== 'object' || Array.isArray(json))
        throw unexpected('a map for the provided schema with type=object');
      return new JsonObject(json as JsonMap, type, declaration);
    case 'int':
      if (typeof json === 'bigint') return json;
      if (typeof json !== 'number' || !Number.isInteger(json)) throw unexpected(`int, got ${typeof json}`);
      return BigInt(json);
    case 'double':
      if (typeof json !== 'number' && typeof json !== 'bigint') throw unexpected(`float, got ${typeof json}`);
      return Number(json);
    case 'bool':
      if (typeof json !== 'boolean') throw unexpected(`bool, got ${typeof json}`);
      return json;
    default:
      if (typeof json !== 'string') throw unexpected(`string, got ${typeof json}`);
      return textValue(json, declaration);
  }
}

const unexpected = (what: string): EvaluationError => new EvaluationError(`invalid data, expected ${what}`);

function listValue(json: unknown, { schema, element }: SchemaDeclaration): Value {
  if (!Array.isArray(json)) throw unexpected('an array for the provided schema with type=array');
  const convert = (item: unknown) => schemaValue(item, element as SchemaDeclaration);
  switch (schema['x-kubernetes-list-type']) {
    case 'set':
      return new JsonSet(json, convert);
    case 'map':
      return new JsonMapList(json, convert, schema['x-kubernetes-list-map-keys'] ?? []);
    default:
      return new JsonList(json, convert);
  }
}

function textValue(text: string, { type, schema }: SchemaDeclaration): Value {
  switch (type.kind) {
    case 'bytes':
      return Uint8Array.from(Buffer.from(text, 'base64'));
    case 'duration': {
      const nanoseconds = parseFormatDuration(text);
      if (nanoseconds === undefined) throw new EvaluationError(`Invalid duration ${text}`);
      return new Duration(nanoseconds);
    }
    case 'timestamp':
      return parseTimestamp(schema.format === 'date' ? `${text}T00:00:00Z` : text.toUpperCase());
    default:
      return text;
  }
}
