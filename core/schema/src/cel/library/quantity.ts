import { Quantity } from '@tektite/meta';
import { declare, type FunctionDeclaration, method, overload } from '../language/declarations.ts';
import { EvaluationError } from '../language/evaluation.ts';
import { boolType, type CelType, doubleType, intType, namedType, stringType } from '../language/type.ts';
import { OpaqueValue } from '../language/value.ts';

export const quantityType = namedType('kubernetes.Quantity');

class QuantityValue extends OpaqueValue {
  readonly type: CelType = quantityType;
  readonly quantity: Quantity;
  constructor(quantity: Quantity) {
    super();
    this.quantity = quantity;
  }
  equals(other: OpaqueValue): boolean {
    return other instanceof QuantityValue && other.quantity.equals(this.quantity);
  }
}

/** An error of a quantity becomes an error of the expression. */
function guarded<T>(calculate: () => T): T {
  try {
    return calculate();
  } catch (error) {
    throw new EvaluationError(error instanceof Error ? error.message : String(error));
  }
}

const read = (text: string): QuantityValue => guarded(() => new QuantityValue(Quantity.parse(text)));

function isQuantity(text: string): boolean {
  try {
    Quantity.parse(text);
    return true;
  } catch {
    return false;
  }
}

function asInteger({ quantity }: QuantityValue): bigint {
  const value = quantity.asInt64();
  if (value === undefined) throw new EvaluationError('cannot convert value to integer');
  return value;
}

const q = quantityType;
const compare = (x: QuantityValue, y: QuantityValue): number => x.quantity.compare(y.quantity);
const add = (x: QuantityValue, y: Quantity): QuantityValue => guarded(() => new QuantityValue(x.quantity.add(y)));
const sub = (x: QuantityValue, y: Quantity): QuantityValue => guarded(() => new QuantityValue(x.quantity.sub(y)));

/** Kubernetes' functions on quantities. */
export const quantityLibrary: readonly FunctionDeclaration[] = [
  declare('quantity', overload('string_to_quantity', [stringType], q, read)),
  declare('isQuantity', overload('is_quantity_string', [stringType], boolType, isQuantity)),
  declare(
    'sign',
    overload('quantity_sign', [q], intType, ({ quantity }: QuantityValue) => BigInt(quantity.sign)),
  ),
  declare(
    'isGreaterThan',
    method('quantity_is_greater_than', [q, q], boolType, (x: QuantityValue, y: QuantityValue) => compare(x, y) > 0),
  ),
  declare(
    'isLessThan',
    method('quantity_is_less_than', [q, q], boolType, (x: QuantityValue, y: QuantityValue) => compare(x, y) < 0),
  ),
  declare(
    'compareTo',
    method('quantity_compare_to', [q, q], intType, (x: QuantityValue, y: QuantityValue) =>
      BigInt(Math.sign(compare(x, y))),
    ),
  ),
  declare(
    'asApproximateFloat',
    method('quantity_get_float', [q], doubleType, ({ quantity }: QuantityValue) => quantity.toNumber()),
  ),
  declare('asInteger', method('quantity_get_int', [q], intType, asInteger)),
  declare(
    'isInteger',
    method('quantity_is_integer', [q], boolType, ({ quantity }: QuantityValue) => quantity.asInt64() !== undefined),
  ),
  declare(
    'add',
    method('quantity_add', [q, q], q, (x: QuantityValue, y: QuantityValue) => add(x, y.quantity)),
    method('quantity_add_int', [q, intType], q, (x: QuantityValue, y: bigint) => add(x, Quantity.of(y))),
  ),
  declare(
    'sub',
    method('quantity_sub', [q, q], q, (x: QuantityValue, y: QuantityValue) => sub(x, y.quantity)),
    method('quantity_sub_int', [q, intType], q, (x: QuantityValue, y: bigint) => sub(x, Quantity.of(y))),
  ),
];
