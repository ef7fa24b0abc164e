import { declare, type FunctionDeclaration, method, overload } from '../language/declarations.ts';
import { EvaluationError } from '../language/evaluation.ts';
import { boolType, listType, mapType, optionalType, typeParam } from '../language/type.ts';
import {
  ArrayList,
  Duration,
  EntryMap,
  ListValue,
  MapValue,
  Optional,
  Timestamp,
  Uint,
  type Value,
} from '../language/value.ts';

const v = typeParam('V');
const k = typeParam('K');
const optionalV = optionalType(v);
const listV = listType(v);
const mapKV = mapType(k, v);

function isZero(value: Value): boolean {
  if (value === null || value === false || value === 0n || value === 0 || value === '') return true;
  if (typeof value !== 'object') return false;
  if (value instanceof Uint) return value.value === 0n;
  if (value instanceof Uint8Array) return value.length === 0;
  if (value instanceof ListValue || value instanceof MapValue) return value.size === 0;
  if (value instanceof Optional) return value.value === undefined || isZero(value.value);
  return (value instanceof Duration || value instanceof Timestamp) && value.nanoseconds === 0n;
}

function unwrapAll(list: ListValue): ListValue {
  const values: Value[] = [];
  for (const item of list) if (item instanceof Optional && item.value !== undefined) values.push(item.value);
  return new ArrayList(values);
}

function valueOf({ value }: Optional): Value {
  if (value === undefined) throw new EvaluationError('optional.none() dereference');
  return value;
}

function insert(map: MapValue, key: Value, value: Value): MapValue {
  if (map.find(key) !== undefined)
    throw new EvaluationError(`insert failed: key '${String(key as string)}' already exists`);
  const base =
    map instanceof EntryMap ? map : EntryMap.of([...map.keys()].map((each) => [each, map.find(each) ?? null]));
  return base.with(key, value);
}

function insertAll(map: MapValue, other: MapValue): MapValue {
  let result = map;
  for (const key of other.keys()) result = insert(result, key, other.find(key) ?? null);
  return result;
}

/** Optional values, and what macros over two variables need. */
export const optionalLibrary: readonly FunctionDeclaration[] = [
  declare(
    'optional.of',
    overload('optional_of', [v], optionalV, (value: Value) => new Optional(value)),
  ),
  declare(
    'optional.ofNonZeroValue',
    overload('optional_ofNonZeroValue', [v], optionalV, (value: Value) =>
      isZero(value) ? new Optional() : new Optional(value),
    ),
  ),
  declare(
    'optional.none',
    overload('optional_none', [], optionalV, () => new Optional()),
  ),
  declare('optional.unwrap', overload('optional_unwrap', [listType(optionalV)], listV, unwrapAll)),
  declare('unwrapOpt', method('optional_unwrapOpt', [listType(optionalV)], listV, unwrapAll)),
  declare('value', method('optional_value', [optionalV], v, valueOf)),
  declare(
    'hasValue',
    method('optional_hasValue', [optionalV], boolType, ({ value }: Optional) => value !== undefined),
  ),
  declare('or', method('optional_or_optional', [optionalV, optionalV], optionalV)),
  declare('orValue', method('optional_orValue_value', [optionalV, v], v)),
  declare(
    'first',
    method('list_first', [listV], optionalV, (list: ListValue) =>
      list.size === 0 ? new Optional() : new Optional(list.at(0)),
    ),
  ),
  declare(
    'last',
    method('list_last', [listV], optionalV, (list: ListValue) =>
      list.size === 0 ? new Optional() : new Optional(list.at(list.size - 1)),
    ),
  ),
  declare(
    'cel.@mapInsert',
    overload('@mapInsert_map_key_value', [mapKV, k, v], mapKV, insert),
    overload('@mapInsert_map_map', [mapKV, mapKV], mapKV, insertAll),
  ),
];
