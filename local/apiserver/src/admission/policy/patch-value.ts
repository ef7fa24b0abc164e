import { normalizeInteger, setOwn } from '@tektite/meta';
import {
  type CelType,
  Duration,
  EvaluationError,
  ListValue,
  MapValue,
  namedType,
  Timestamp,
  Uint,
  type Value,
} from '@tektite/schema';

/** A `JSONPatch{…}` or an `Object.spec{…}` that an expression built. */
export class BuiltObject extends MapValue {
  readonly type: CelType;
  readonly fields: ReadonlyMap<string, Value>;

  constructor(typeName: string, fields: ReadonlyMap<string, Value>) {
    super();
    this.type = namedType(typeName);
    this.fields = fields;
  }

  get size(): number {
    return this.fields.size;
  }

  find(key: Value): Value | undefined {
    return typeof key === 'string' ? this.fields.get(key) : undefined;
  }

  keys(): Iterable<Value> {
    return this.fields.keys();
  }
}

/** Validates the names of types: each must be the path of its field. */
export function misnamedTypes(value: Value, path: readonly string[]): string[] {
  if (value instanceof BuiltObject) {
    const expected = path.join('.');
    const own =
      value.type.name === expected
        ? []
        : [
            `unexpected type name "${value.type.name}", expected "${expected}", which matches field name path from root Object type`,
          ];
    return [...own, ...[...value.fields].flatMap(([field, child]) => misnamedTypes(child, [...path, field]))];
  }
  if (value instanceof ListValue) return [...value].flatMap((item) => misnamedTypes(item, path));
  return [];
}

/** A value as JSON. Throws an EvaluationError for what JSON does not have. */
export function valueToJson(value: Value): unknown {
  switch (typeof value) {
    case 'bigint':
      return normalizeInteger(value);
    case 'string':
    case 'boolean':
    case 'number':
      return value;
    default:
      return objectToJson(value);
  }
}

function objectToJson(value: Exclude<Value, bigint | string | boolean | number>): unknown {
  if (value === null) return null;
  if (value instanceof Uint8Array) return Buffer.from(value).toString('base64');
  if (value instanceof Uint) return normalizeInteger(value.value);
  if (value instanceof ListValue) return [...value].map(valueToJson);
  if (value instanceof MapValue) {
    const object: Record<string, unknown> = {};
    for (const key of value.keys()) {
      if (typeof key !== 'string') throw new EvaluationError(`map key ${String(key)} is not a string`);
      setOwn(object, key, valueToJson(value.find(key) ?? null));
    }
    return object;
  }
  if (value instanceof Timestamp || value instanceof Duration) return String(value);
  throw new EvaluationError('unsupported type: it has no form in JSON');
}
