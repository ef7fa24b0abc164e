import { declare, type FunctionDeclaration, overload } from '../language/declarations.ts';
import { compareValues } from '../language/equality.ts';
import { EvaluationError } from '../language/evaluation.ts';
import { boolType, type CelType, doubleType, dynType, intType, listType, uintType } from '../language/type.ts';
import { type ListValue, Uint, type Value } from '../language/value.ts';
import { toInt } from './standard.ts';

const numbers: readonly CelType[] = [doubleType, intType, uintType];
const bits = 64n;

/** The greatest or least of one, two, or a list of numbers. They may be of different types. */
function extreme(name: string, id: string, sign: 1 | -1): FunctionDeclaration {
  const better = (x: Value, y: Value) => {
    const order = compareValues(x, y);
    if (order === undefined) throw new EvaluationError('no such overload');
    return order * sign >= 0 ? x : y;
  };
  const ofList = (list: ListValue) => {
    if (list.size === 0) throw new EvaluationError(`${name} called on empty list`);
    return [...list].reduce(better);
  };
  const result = (x: CelType, y: CelType) => (x.kind === y.kind ? x : dynType);
  return declare(
    name,
    ...numbers.map((type) => overload(`${id}_${type.kind}`, [type], type, (x: Value) => x)),
    ...numbers.flatMap((x) => numbers.map((y) => overload(`${id}_${x.kind}_${y.kind}`, [x, y], result(x, y), better))),
    ...numbers.map((type) => overload(`${id}_list_${type.kind}`, [listType(type)], type, ofList)),
  );
}

function onDouble<T extends Value>(name: string, result: CelType, call: (x: number) => T): FunctionDeclaration {
  return declare(`math.${name}`, overload(`math_${name}_double`, [doubleType], result, call));
}

/** Halves are rounded away from zero. */
const round = (x: number): number => Math.sign(x) * Math.round(Math.abs(x));

function bitwise(name: string, call: (x: bigint, y: bigint) => bigint): FunctionDeclaration {
  return declare(
    `math.${name}`,
    overload(`math_${name}_int_int`, [intType, intType], intType, (x: bigint, y: bigint) =>
      BigInt.asIntN(64, call(x, y)),
    ),
    overload(
      `math_${name}_uint_uint`,
      [uintType, uintType],
      uintType,
      (x: Uint, y: Uint) => new Uint(BigInt.asUintN(64, call(x.value, y.value))),
    ),
  );
}

/** Shifts treat ints as bits: a right shift fills with zeros. */
function shift(name: string, call: (x: bigint, count: bigint) => bigint): FunctionDeclaration {
  const shifted = (x: bigint, count: bigint) => {
    if (count < 0n) throw new EvaluationError(`math.${name}() negative offset: ${count}`);
    return count >= bits ? 0n : BigInt.asUintN(64, call(BigInt.asUintN(64, x), count));
  };
  return declare(
    `math.${name}`,
    overload(`math_${name}_int_int`, [intType, intType], intType, (x: bigint, count: bigint) =>
      BigInt.asIntN(64, shifted(x, count)),
    ),
    overload(
      `math_${name}_uint_int`,
      [uintType, intType],
      uintType,
      (x: Uint, count: bigint) => new Uint(shifted(x.value, count)),
    ),
  );
}

const absolute = (x: bigint): bigint => (x < 0n ? -x : x);
const signOf = (x: bigint): bigint => (x === 0n ? 0n : x > 0n ? 1n : -1n);
const squareRoot = (x: bigint): number => Math.sqrt(Number(x));

/** cel-go's extension for numbers, version 2. */
export const mathExtension: readonly FunctionDeclaration[] = [
  extreme('math.@max', 'math_@max', 1),
  extreme('math.@min', 'math_@min', -1),
  onDouble('ceil', doubleType, Math.ceil),
  onDouble('floor', doubleType, Math.floor),
  onDouble('round', doubleType, round),
  onDouble('trunc', doubleType, Math.trunc),
  onDouble('isInf', boolType, (x) => !Number.isFinite(x) && !Number.isNaN(x)),
  onDouble('isNaN', boolType, Number.isNaN),
  onDouble('isFinite', boolType, Number.isFinite),
  declare(
    'math.abs',
    overload('math_abs_double', [doubleType], doubleType, Math.abs),
    overload('math_abs_int', [intType], intType, (x: bigint) => toInt(absolute(x))),
    overload('math_abs_uint', [uintType], uintType, (x: Uint) => x),
  ),
  declare(
    'math.sign',
    overload('math_sign_double', [doubleType], doubleType, (x: number) => Math.sign(x)),
    overload('math_sign_int', [intType], intType, signOf),
    overload('math_sign_uint', [uintType], uintType, (x: Uint) => new Uint(signOf(x.value))),
  ),
  declare(
    'math.sqrt',
    overload('math_sqrt_double', [doubleType], doubleType, Math.sqrt),
    overload('math_sqrt_int', [intType], doubleType, squareRoot),
    overload('math_sqrt_uint', [uintType], doubleType, (x: Uint) => squareRoot(x.value)),
  ),
  bitwise('bitAnd', (x, y) => x & y),
  bitwise('bitOr', (x, y) => x | y),
  bitwise('bitXor', (x, y) => x ^ y),
  declare(
    'math.bitNot',
    overload('math_bitNot_int_int', [intType], intType, (x: bigint) => ~x),
    overload('math_bitNot_uint_uint', [uintType], uintType, (x: Uint) => new Uint(BigInt.asUintN(64, ~x.value))),
  ),
  shift('bitShiftLeft', (x, count) => x << count),
  shift('bitShiftRight', (x, count) => x >> count),
];
