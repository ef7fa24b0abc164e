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
  nullType,
  optionalType,
  stringType,
  timestampType,
  typeType,
  uintType,
} from './type.ts';

/** An unsigned integer of 64 bits; plain `bigint` is the signed one. */
export class Uint {
  readonly value: bigint;
  constructor(value: bigint) {
    this.value = value;
  }
}

/** A span of time in nanoseconds. */
export class Duration {
  readonly nanoseconds: bigint;
  constructor(nanoseconds: bigint) {
    this.nanoseconds = nanoseconds;
  }
}

/** A moment in nanoseconds since the epoch. */
export class Timestamp {
  readonly nanoseconds: bigint;
  constructor(nanoseconds: bigint) {
    this.nanoseconds = nanoseconds;
  }
}

/** A value that may be absent. */
export class Optional {
  readonly value: Value | undefined;
  constructor(value?: Value) {
    this.value = value;
  }
}

/** A type, as a value. */
export class TypeValue {
  readonly type: CelType;
  constructor(type: CelType) {
    this.type = type;
  }
}

/** A value of a type that a library brings along: a quantity, an address, a URL. */
export abstract class OpaqueValue {
  abstract readonly type: CelType;
  abstract equals(other: OpaqueValue): boolean;
  /** The size for the cost of a call, as `size()` would return it. */
  get costSize(): number {
    return 1;
  }
}

/** A list; its elements may be made when they are asked for. */
export abstract class ListValue {
  abstract readonly size: number;
  /** The element at an index that is in range. */
  abstract at(index: number): Value;

  *[Symbol.iterator](): Iterator<Value> {
    for (let i = 0; i < this.size; i++) yield this.at(i);
  }

  /** This list followed by another; lists that stand for sets or maps merge instead. */
  concat(other: ListValue): ListValue {
    return new ConcatenatedList(this, other);
  }

  /** How the list compares with another, when it has its own idea of it. */
  equalTo?(other: ListValue): boolean;
}

export class ArrayList extends ListValue {
  readonly items: readonly Value[];
  constructor(items: readonly Value[]) {
    super();
    this.items = items;
  }
  get size(): number {
    return this.items.length;
  }
  at(index: number): Value {
    return this.items[index] as Value;
  }
}

/** Two lists in a row. A loop that appends one element at a time makes a deep chain, so it is flattened on first use. */
class ConcatenatedList extends ListValue {
  readonly size: number;
  private parts: readonly [ListValue, ListValue] | undefined;
  private items: Value[] | undefined;

  constructor(left: ListValue, right: ListValue) {
    super();
    this.size = left.size + right.size;
    this.parts = [left, right];
  }

  at(index: number): Value {
    this.items ??= this.flatten();
    return this.items[index] as Value;
  }

  private flatten(): Value[] {
    const items: Value[] = [];
    const pending: ListValue[] = [this];
    while (pending.length > 0) {
      const list = pending.pop() as ListValue;
      if (list instanceof ConcatenatedList && list.parts) pending.push(list.parts[1], list.parts[0]);
      else for (const item of list) items.push(item);
    }
    this.parts = undefined;
    return items;
  }
}

/** A map, or an object with fields. */
export abstract class MapValue {
  abstract readonly size: number;
  abstract readonly type: CelType;
  /** The value at a key, or `undefined`. */
  abstract find(key: Value): Value | undefined;
  abstract keys(): Iterable<Value>;
}

interface Entry {
  readonly key: Value;
  readonly value: Value;
  /** How many entries were there before it. */
  readonly index: number;
}

/**
 * A map made by an expression. A loop that inserts one entry at a time shares one table between all the maps it makes
 * on the way: each sees as many entries as it has.
 */
export class EntryMap extends MapValue {
  readonly size: number;
  private readonly table: Map<string, Entry>;

  private constructor(table: Map<string, Entry>, size: number) {
    super();
    this.table = table;
    this.size = size;
  }

  static of(pairs: Iterable<readonly [Value, Value]>): EntryMap {
    const table = new Map<string, Entry>();
    for (const [key, value] of pairs) table.set(mapKey(key) ?? '', { key, value, index: table.size });
    return new EntryMap(table, table.size);
  }

  get type(): CelType {
    return mapType(dynType, dynType);
  }

  find(key: Value): Value | undefined {
    const id = mapKey(key);
    const entry = id === undefined ? undefined : this.table.get(id);
    return entry && entry.index < this.size ? entry.value : undefined;
  }

  *keys(): Iterable<Value> {
    for (const { key, index } of this.table.values()) if (index < this.size) yield key;
  }

  /** A map with one more entry; the key must be new. */
  with(key: Value, value: Value): EntryMap {
    const isLatest = this.table.size === this.size;
    const table = isLatest ? this.table : new Map([...this.table].filter(([, entry]) => entry.index < this.size));
    table.set(mapKey(key) ?? '', { key, value, index: this.size });
    return new EntryMap(table, this.size + 1);
  }
}

/** A text that is the same for equal keys, numbers of all types included; `undefined` for what cannot be a key. */
export function mapKey(key: Value): string | undefined {
  switch (typeof key) {
    case 'string':
      return `s${key}`;
    case 'boolean':
      return `b${key}`;
    case 'bigint':
      return `n${key}`;
    case 'number':
      return Number.isInteger(key) ? `n${BigInt(key)}` : undefined;
    default:
      return key instanceof Uint ? `n${key.value}` : undefined;
  }
}

export type Value =
  | null
  | boolean
  | bigint
  | number
  | string
  | Uint8Array
  | Uint
  | Duration
  | Timestamp
  | ListValue
  | MapValue
  | Optional
  | TypeValue
  | OpaqueValue;

/** The type of a value at run time. Elements of lists and maps are not checked. */
export function typeOf(value: Value): CelType {
  switch (typeof value) {
    case 'boolean':
      return boolType;
    case 'bigint':
      return intType;
    case 'number':
      return doubleType;
    case 'string':
      return stringType;
    default:
      return objectTypeOf(value);
  }
}

function objectTypeOf(value: Exclude<Value, boolean | bigint | number | string>): CelType {
  if (value === null) return nullType;
  if (value instanceof Uint8Array) return bytesType;
  if (value instanceof Uint) return uintType;
  if (value instanceof Duration) return durationType;
  if (value instanceof Timestamp) return timestampType;
  if (value instanceof ListValue) return listType(dynType);
  if (value instanceof Optional) return optionalType(dynType);
  if (value instanceof TypeValue) return typeType();
  return value.type;
}
