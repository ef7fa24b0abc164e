import {
  Duration,
  ListValue,
  MapValue,
  OpaqueValue,
  Optional,
  Timestamp,
  TypeValue,
  Uint,
  type Value,
} from './value.ts';

const asNumber = (value: Value): bigint | number | undefined =>
  typeof value === 'bigint' || typeof value === 'number' ? value : value instanceof Uint ? value.value : undefined;

/** Whether two values are equal. Numbers of different types compare by their value; other types are never equal. */
export function equalValues(a: Value, b: Value): boolean {
  if (a === b) return true;
  const [left, right] = [asNumber(a), asNumber(b)];
  // Loose equality compares a bigint and a number by value, exactly.
  if (left !== undefined && right !== undefined) return left == right;
  if (a === null || b === null || typeof a !== 'object' || typeof b !== 'object') return false;
  if (a instanceof ListValue) return b instanceof ListValue && equalLists(a, b);
  if (a instanceof MapValue) return b instanceof MapValue && equalMaps(a, b);
  if (a instanceof Uint8Array) return b instanceof Uint8Array && compareBytes(a, b) === 0;
  if (a instanceof Duration) return b instanceof Duration && a.nanoseconds === b.nanoseconds;
  if (a instanceof Timestamp) return b instanceof Timestamp && a.nanoseconds === b.nanoseconds;
  if (a instanceof Optional) return b instanceof Optional && equalOptionals(a, b);
  if (a instanceof TypeValue)
    return b instanceof TypeValue && a.type.kind === b.type.kind && a.type.name === b.type.name;
  return a instanceof OpaqueValue && b instanceof OpaqueValue && a.type.name === b.type.name && a.equals(b);
}

function equalLists(a: ListValue, b: ListValue): boolean {
  if (a.equalTo) return a.equalTo(b);
  if (a.size !== b.size) return false;
  for (let i = 0; i < a.size; i++) if (!equalValues(a.at(i), b.at(i))) return false;
  return true;
}

function equalMaps(a: MapValue, b: MapValue): boolean {
  if (a.size !== b.size) return false;
  for (const key of a.keys()) {
    const [left, right] = [a.find(key), b.find(key)];
    if (left === undefined || right === undefined || !equalValues(left, right)) return false;
  }
  return true;
}

function equalOptionals({ value: a }: Optional, { value: b }: Optional): boolean {
  return a === undefined || b === undefined ? a === b : equalValues(a, b);
}

export function compareBytes(a: Uint8Array, b: Uint8Array): number {
  for (let i = 0; i < Math.min(a.length, b.length); i++) {
    const difference = (a[i] ?? 0) - (b[i] ?? 0);
    if (difference !== 0) return difference;
  }
  return a.length - b.length;
}

/** The order of two values; `undefined` when they have none. NaN is neither before nor after anything. */
export function compareValues(a: Value, b: Value): number | undefined {
  const [left, right] = [asNumber(a), asNumber(b)];
  if (left !== undefined && right !== undefined) {
    if (left < right) return -1;
    if (left > right) return 1;
    return left == right ? 0 : Number.NaN;
  }
  if (typeof a === 'string' && typeof b === 'string') return compareStrings(a, b);
  if (typeof a === 'boolean' && typeof b === 'boolean') return Number(a) - Number(b);
  if (a instanceof Uint8Array && b instanceof Uint8Array) return compareBytes(a, b);
  const times = (a instanceof Duration && b instanceof Duration) || (a instanceof Timestamp && b instanceof Timestamp);
  if (!times) return undefined;
  const difference = (a as Duration).nanoseconds - (b as Duration).nanoseconds;
  return difference < 0n ? -1 : difference > 0n ? 1 : 0;
}

/** By code points, which is the order of UTF-8 and not that of UTF-16. */
function compareStrings(a: string, b: string): number {
  if (a === b) return 0;
  const length = Math.min(a.length, b.length);
  for (let i = 0; i < length; i++) {
    let [left, right] = [a.charCodeAt(i), b.charCodeAt(i)];
    if (left === right) continue;
    if (left >= 0xd800 && right >= 0xd800) {
      // Surrogates stand for code points above all others.
      left = left >= 0xe000 ? left - 0x800 : left + 0x2000;
      right = right >= 0xe000 ? right - 0x800 : right + 0x2000;
    }
    return left - right;
  }
  return a.length - b.length;
}
