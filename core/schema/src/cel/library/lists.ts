import { declare, type FunctionDeclaration, method, overload } from '../language/declarations.ts';
import { compareValues, equalValues } from '../language/equality.ts';
import { EvaluationError } from '../language/evaluation.ts';
import {
  boolType,
  bytesType,
  type CelType,
  doubleType,
  durationType,
  dynType,
  intType,
  listType,
  stringType,
  timestampType,
  typeParam,
  uintType,
} from '../language/type.ts';
import { ArrayList, Duration, ListValue, mapKey, typeOf, Uint, type Value } from '../language/value.ts';
import { toInt, toUint } from './standard.ts';

const a = typeParam('A');
const listOfA = listType(a);
const comparable: readonly CelType[] = [
  intType,
  uintType,
  doubleType,
  boolType,
  durationType,
  timestampType,
  stringType,
  bytesType,
];

/** The order of two elements of a list, which must be comparable. */
function order(x: Value, y: Value): number {
  const result = compareValues(x, y);
  if (result === undefined) throw new EvaluationError('no such overload');
  return result;
}

function isSorted(list: ListValue): boolean {
  for (let i = 1; i < list.size; i++) if (order(list.at(i - 1), list.at(i)) > 0) return false;
  return true;
}

const extreme =
  (name: string, better: (order: number) => boolean) =>
  (list: ListValue): Value => {
    if (list.size === 0) throw new EvaluationError(`${name} called on empty list`);
    let best = list.at(0);
    for (const item of list) if (better(order(item, best))) best = item;
    return best;
  };

function sumOf(zero: Value): (list: ListValue) => Value {
  return (list) => {
    let sum = zero;
    for (const item of list) sum = add(sum, item);
    return sum;
  };
}

function add(x: Value, y: Value): Value {
  if (typeof x === 'bigint' && typeof y === 'bigint') return toInt(x + y);
  if (typeof x === 'number' && typeof y === 'number') return x + y;
  if (x instanceof Uint && y instanceof Uint) return toUint(x.value + y.value);
  if (x instanceof Duration && y instanceof Duration) return new Duration(x.nanoseconds + y.nanoseconds);
  throw new EvaluationError('no such overload');
}

const sums: readonly (readonly [CelType, Value])[] = [
  [intType, 0n],
  [uintType, new Uint(0n)],
  [doubleType, 0],
  [durationType, new Duration(0n)],
];

function findIndex(list: ListValue, value: Value): bigint {
  for (let i = 0; i < list.size; i++) if (equalValues(list.at(i), value)) return BigInt(i);
  return -1n;
}

function findLastIndex(list: ListValue, value: Value): bigint {
  for (let i = list.size - 1; i >= 0; i--) if (equalValues(list.at(i), value)) return BigInt(i);
  return -1n;
}

function slice(list: ListValue, start: bigint, end: bigint): ListValue {
  if (start < 0n || end < 0n)
    throw new EvaluationError(`cannot slice(${start}, ${end}), negative indexes not supported`);
  if (start > end)
    throw new EvaluationError(`cannot slice(${start}, ${end}), start index must be less than or equal to end index`);
  if (end > BigInt(list.size)) throw new EvaluationError(`cannot slice(${start}, ${end}), list is length ${list.size}`);
  return new ArrayList([...list].slice(Number(start), Number(end)));
}

function flatten(list: ListValue, depth = 1n): ListValue {
  if (depth < 0n) throw new EvaluationError('level must be non-negative');
  const items: Value[] = [];
  const collect = (from: ListValue, left: bigint): void => {
    for (const item of from) {
      if (item instanceof ListValue && left > 0n) collect(item, left - 1n);
      else items.push(item);
    }
  };
  collect(list, depth);
  return new ArrayList(items);
}

function checkSameType(list: ListValue): void {
  if (list.size === 0) return;
  const { name } = typeOf(list.at(0));
  if (compareValues(list.at(0), list.at(0)) === undefined)
    throw new EvaluationError('list elements must be comparable');
  for (const item of list)
    if (typeOf(item).name !== name) throw new EvaluationError('list elements must have the same type');
}

function sort(list: ListValue): ListValue {
  checkSameType(list);
  return new ArrayList([...list].sort(order));
}

/** Sorts a list by another list of keys. */
function sortByKeys(list: ListValue, keys: ListValue): ListValue {
  checkSameType(keys);
  const indices = Array.from({ length: list.size }, (_, index) => index);
  indices.sort((x, y) => order(keys.at(x), keys.at(y)));
  return new ArrayList(indices.map((index) => list.at(index)));
}

function distinct(list: ListValue): ListValue {
  const seen = new Set<string>();
  const others: Value[] = [];
  const items: Value[] = [];
  for (const item of list) {
    const key = mapKey(item);
    if (key === undefined ? others.some((other) => equalValues(other, item)) : seen.has(key)) continue;
    if (key === undefined) others.push(item);
    else seen.add(key);
    items.push(item);
  }
  return new ArrayList(items);
}

const maxRange = 1_000_000n;

function range(size: bigint): ListValue {
  if (size < 0n) throw new EvaluationError(`lists.range: size must be non-negative, got ${size}`);
  if (size > maxRange) throw new EvaluationError(`lists.range: size ${size} exceeds maximum allowed (${maxRange})`);
  return new ArrayList(Array.from({ length: Number(size) }, (_, index) => BigInt(index)));
}

/** A set of the elements, which answers in constant time for those that can be keys. */
function membership(list: ListValue): (value: Value) => boolean {
  const keys = new Set<string>();
  const others: Value[] = [];
  for (const item of list) {
    const key = mapKey(item);
    if (key === undefined) others.push(item);
    else keys.add(key);
  }
  return (value) => keys.has(mapKey(value) ?? '') || others.some((other) => equalValues(other, value));
}

function containsAll(list: ListValue, part: ListValue): boolean {
  const has = membership(list);
  return [...part].every(has);
}

const kubernetesLists: readonly FunctionDeclaration[] = [
  declare(
    'isSorted',
    ...comparable.map((type) => method(`list_${type.kind}_is_sorted_bool`, [listType(type)], boolType, isSorted)),
  ),
  declare('sum', ...sums.map(([type, zero]) => method(`list_${type.kind}_sum`, [listType(type)], type, sumOf(zero)))),
  declare(
    'max',
    ...comparable.map((type) =>
      method(
        `list_${type.kind}_max`,
        [listType(type)],
        type,
        extreme('max', (result) => result > 0),
      ),
    ),
  ),
  declare(
    'min',
    ...comparable.map((type) =>
      method(
        `list_${type.kind}_min`,
        [listType(type)],
        type,
        extreme('min', (result) => result < 0),
      ),
    ),
  ),
  declare('indexOf', method('list_a_index_of_int', [listOfA, a], intType, findIndex)),
  declare('lastIndexOf', method('list_a_last_index_of_int', [listOfA, a], intType, findLastIndex)),
];

/** Functions on lists of cel-go's extension, version 2, and on lists taken for sets. */
export const listExtension: readonly FunctionDeclaration[] = [
  declare('slice', method('list_slice', [listOfA, intType, intType], listOfA, slice)),
  declare(
    'flatten',
    method('list_flatten', [listType(listOfA)], listOfA, flatten),
    method('list_flatten_int', [listType(dynType), intType], listType(dynType), flatten),
  ),
  declare(
    'sort',
    ...comparable.map((type) => method(`list_${type.kind}_sort`, [listType(type)], listType(type), sort)),
  ),
  declare(
    '@sortByAssociatedKeys',
    ...comparable.map((type) =>
      method(`list_${type.kind}_sortByAssociatedKeys`, [listOfA, listType(type)], listOfA, sortByKeys),
    ),
  ),
  declare('lists.range', overload('lists_range', [intType], listType(intType), range)),
  declare(
    'reverse',
    method('list_reverse', [listOfA], listOfA, (list: ListValue) => new ArrayList([...list].reverse())),
  ),
  declare('distinct', method('list_distinct', [listOfA], listOfA, distinct)),
  declare('sets.contains', overload('list_sets_contains_list', [listOfA, listOfA], boolType, containsAll)),
  declare(
    'sets.equivalent',
    overload(
      'list_sets_equivalent_list',
      [listOfA, listOfA],
      boolType,
      (x: ListValue, y: ListValue) => containsAll(x, y) && containsAll(y, x),
    ),
  ),
  declare(
    'sets.intersects',
    overload('list_sets_intersects_list', [listOfA, listOfA], boolType, (x: ListValue, y: ListValue) =>
      [...y].some(membership(x)),
    ),
  ),
];

/** Functions on lists: Kubernetes' own, and the extensions. */
export const listLibrary: readonly FunctionDeclaration[] = [...kubernetesLists, ...listExtension];
