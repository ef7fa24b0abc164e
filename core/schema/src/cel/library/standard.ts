import { declare, type FunctionDeclaration, method, type Overload, overload } from '../language/declarations.ts';
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
  mapType,
  optionalType,
  stringType,
  timestampType,
  typeParam,
  typeType,
  uintType,
} from '../language/type.ts';
import {
  Duration,
  ListValue,
  MapValue,
  Optional,
  Timestamp,
  TypeValue,
  typeOf,
  Uint,
  type Value,
} from '../language/value.ts';
import { compilePattern } from '../../validate/pattern.ts';
import { checkDuration, checkTimestamp } from './time.ts';

const a = typeParam('A');
const b = typeParam('B');
const listOfA = listType(a);
const mapOfAB = mapType(a, b);
const int64Limit = 2n ** 63n;

/** An int64, or the error that it overflows. */
export function toInt(value: bigint): bigint {
  if (value >= int64Limit || value < -int64Limit) throw new EvaluationError('integer overflow');
  return value;
}

export function toUint(value: bigint): Uint {
  if (value < 0n || value >= 2n * int64Limit) throw new EvaluationError('unsigned integer overflow');
  return new Uint(value);
}

type Arithmetic = readonly [int: (x: bigint, y: bigint) => bigint, double: (x: number, y: number) => number];

/** The overloads of an operator for the three types of numbers. */
function arithmetic(name: string, [int, double]: Arithmetic): Overload[] {
  return [
    overload(`${name}_double`, [doubleType, doubleType], doubleType, double),
    overload(`${name}_int64`, [intType, intType], intType, (x: bigint, y: bigint) => toInt(int(x, y))),
    overload(`${name}_uint64`, [uintType, uintType], uintType, (x: Uint, y: Uint) => toUint(int(x.value, y.value))),
  ];
}

function divisor(value: bigint, what: string): bigint {
  if (value === 0n) throw new EvaluationError(`${what} by zero`);
  return value;
}

const numberNames: readonly (readonly [string, CelType])[] = [
  ['int64', intType],
  ['uint64', uintType],
  ['double', doubleType],
];

/** The overloads of `<` and its kin: equal types, and numbers of any two types. */
function comparison(name: string, holds: (order: number) => boolean): Overload[] {
  const call = (x: Value, y: Value): boolean => {
    const order = compareValues(x, y);
    if (order === undefined) throw new EvaluationError('no such overload');
    return holds(order);
  };
  const numbers = numberNames.flatMap(([left, x]) =>
    numberNames.map(([right, y]) =>
      overload(`${name}_${left}${left === right ? '' : `_${right}`}`, [x, y], boolType, call),
    ),
  );
  const others: readonly (readonly [string, CelType])[] = [
    ['bool', boolType],
    ['string', stringType],
    ['bytes', bytesType],
    ['timestamp', timestampType],
    ['duration', durationType],
  ];
  return [...numbers, ...others.map(([type, x]) => overload(`${name}_${type}`, [x, x], boolType, call))];
}

function indexList(list: ListValue, index: Value): Value {
  const at = typeof index === 'bigint' || typeof index === 'number' ? Number(index) : Number((index as Uint).value);
  if (!Number.isInteger(at)) throw new EvaluationError(`unsupported index value: ${at}`);
  if (at < 0 || at >= list.size) throw new EvaluationError(`index out of bounds: ${at}`);
  return list.at(at);
}

function indexMap(map: MapValue, key: Value): Value {
  const value = map.find(key);
  if (value === undefined)
    throw new EvaluationError(`no such key: ${key instanceof Uint ? key.value : String(key as string)}`);
  return value;
}

function optionalIndex(container: Value, key: Value): Optional {
  const inner = container instanceof Optional ? container.value : container;
  if (inner instanceof MapValue) return new Optional(inner.find(key));
  if (!(inner instanceof ListValue)) return new Optional();
  const at = Number(key as bigint);
  return at >= 0 && at < inner.size ? new Optional(inner.at(at)) : new Optional();
}

function inList(value: Value, list: ListValue): boolean {
  for (const item of list) if (equalValues(value, item)) return true;
  return false;
}

function matches(text: string, pattern: string): boolean {
  const compiled = compilePattern(pattern);
  if (typeof compiled === 'string') throw new EvaluationError(compiled);
  return compiled.matcher(text).find();
}

function concatBytes(x: Uint8Array, y: Uint8Array): Uint8Array {
  const joined = new Uint8Array(x.length + y.length);
  joined.set(x);
  joined.set(y, x.length);
  return joined;
}

const size = (value: string | Uint8Array | ListValue | MapValue): bigint =>
  typeof value === 'string'
    ? BigInt(Array.from(value).length)
    : BigInt(value instanceof Uint8Array ? value.length : value.size);

const optionalA = optionalType(a);
const optionalB = optionalType(b);

/** Operators and functions of the language itself. */
export const standardLibrary: readonly FunctionDeclaration[] = [
  declare('_?_:_', overload('conditional', [boolType, a, a], a)),
  declare('_&&_', overload('logical_and', [boolType, boolType], boolType)),
  declare('_||_', overload('logical_or', [boolType, boolType], boolType)),
  declare('@not_strictly_false', overload('not_strictly_false', [boolType], boolType)),
  declare(
    '!_',
    overload('logical_not', [boolType], boolType, (x: boolean) => !x),
  ),
  declare('_==_', overload('equals', [a, a], boolType, equalValues)),
  declare(
    '_!=_',
    overload('not_equals', [a, a], boolType, (x: Value, y: Value) => !equalValues(x, y)),
  ),
  declare(
    '_+_',
    overload('add_bytes', [bytesType, bytesType], bytesType, concatBytes),
    ...arithmetic('add', [(x, y) => x + y, (x, y) => x + y]),
    overload('add_duration_duration', [durationType, durationType], durationType, (x: Duration, y: Duration) =>
      checkDuration(x.nanoseconds + y.nanoseconds),
    ),
    overload('add_duration_timestamp', [durationType, timestampType], timestampType, (x: Duration, y: Timestamp) =>
      checkTimestamp(x.nanoseconds + y.nanoseconds),
    ),
    overload('add_timestamp_duration', [timestampType, durationType], timestampType, (x: Timestamp, y: Duration) =>
      checkTimestamp(x.nanoseconds + y.nanoseconds),
    ),
    overload('add_list', [listOfA, listOfA], listOfA, (x: ListValue, y: ListValue) => x.concat(y)),
    overload('add_string', [stringType, stringType], stringType, (x: string, y: string) => x + y),
  ),
  declare(
    '_-_',
    ...arithmetic('subtract', [(x, y) => x - y, (x, y) => x - y]),
    overload('subtract_duration_duration', [durationType, durationType], durationType, (x: Duration, y: Duration) =>
      checkDuration(x.nanoseconds - y.nanoseconds),
    ),
    overload('subtract_timestamp_duration', [timestampType, durationType], timestampType, (x: Timestamp, y: Duration) =>
      checkTimestamp(x.nanoseconds - y.nanoseconds),
    ),
    overload(
      'subtract_timestamp_timestamp',
      [timestampType, timestampType],
      durationType,
      (x: Timestamp, y: Timestamp) => checkDuration(x.nanoseconds - y.nanoseconds),
    ),
  ),
  declare('_*_', ...arithmetic('multiply', [(x, y) => x * y, (x, y) => x * y])),
  declare('_/_', ...arithmetic('divide', [(x, y) => x / divisor(y, 'division'), (x, y) => x / y])),
  declare('_%_', ...arithmetic('modulo', [(x, y) => x % divisor(y, 'modulus'), (x) => x]).slice(1)),
  declare(
    '-_',
    overload('negate_double', [doubleType], doubleType, (x: number) => -x),
    overload('negate_int64', [intType], intType, (x: bigint) => toInt(-x)),
  ),
  declare('_<_', ...comparison('less', (order) => order < 0)),
  declare('_<=_', ...comparison('less_equals', (order) => order <= 0)),
  declare('_>_', ...comparison('greater', (order) => order > 0)),
  declare('_>=_', ...comparison('greater_equals', (order) => order >= 0)),
  declare(
    '_[_]',
    overload('index_list', [listOfA, intType], a, indexList),
    overload('index_map', [mapOfAB, a], b, indexMap),
    overload('optional_list_index_int', [optionalType(listOfA), intType], optionalA, optionalIndex),
    overload('optional_map_index_value', [optionalType(mapOfAB), a], optionalB, optionalIndex),
  ),
  declare(
    '_[?_]',
    overload('list_optindex_optional_int', [listOfA, intType], optionalA, optionalIndex),
    overload('optional_list_optindex_optional_int', [optionalType(listOfA), intType], optionalA, optionalIndex),
    overload('map_optindex_optional_value', [mapOfAB, a], optionalB, optionalIndex),
    overload('optional_map_optindex_optional_value', [optionalType(mapOfAB), a], optionalB, optionalIndex),
  ),
  declare(
    '@in',
    overload('in_list', [a, listOfA], boolType, inList),
    overload('in_map', [a, mapOfAB], boolType, (key: Value, map: MapValue) => map.find(key) !== undefined),
  ),
  declare(
    'size',
    ...[bytesType, listOfA, mapOfAB, stringType].flatMap((type) => [
      overload(`size_${type.name}`, [type], intType, size),
      method(`${type.name}_size`, [type], intType, size),
    ]),
  ),
  declare(
    'type',
    overload('type', [a], typeType(a), (value: Value) => new TypeValue(typeOf(value))),
  ),
  declare(
    'dyn',
    overload('to_dyn', [a], dynType, (value: Value) => value),
  ),
  declare(
    'contains',
    method('contains_string', [stringType, stringType], boolType, (x: string, y: string) => x.includes(y)),
  ),
  declare(
    'startsWith',
    method('starts_with_string', [stringType, stringType], boolType, (x: string, y: string) => x.startsWith(y)),
  ),
  declare(
    'endsWith',
    method('ends_with_string', [stringType, stringType], boolType, (x: string, y: string) => x.endsWith(y)),
  ),
  declare(
    'matches',
    overload('matches', [stringType, stringType], boolType, matches),
    method('matches_string', [stringType, stringType], boolType, matches),
  ),
];
