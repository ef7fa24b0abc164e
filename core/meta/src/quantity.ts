import { parseQuantityParts, type QuantityFormat, type QuantityParts, roundUp, suffixFor } from './quantity-parser.ts';

const int64Limit = 2n ** 63n;
/** Powers of ten that are written out. A larger one would only fill the memory. */
const maxShift = 16_384;

function shiftUp(value: bigint, places: number): bigint {
  if (value === 0n) return 0n;
  return value * 10n ** BigInt(Math.min(places, maxShift));
}

/**
 * A number with a unit, as in `resources.requests`: exact, and printed as Kubernetes prints it.
 *
 * @example
 * Quantity.parse('1.5Gi').toString() // 1536Mi
 * Quantity.parse('500m').add(Quantity.parse('1')).toString() // 1500m
 */
export class Quantity {
  readonly format: QuantityFormat;
  private readonly number: bigint;
  private readonly exponent: number;
  private readonly wide: boolean;
  private text: string | undefined;

  private constructor(parts: QuantityParts) {
    this.format = parts.format;
    this.number = parts.value;
    this.exponent = parts.exponent;
    this.wide = parts.wide;
    this.text = parts.text;
  }

  /** Throws a {@link QuantityError}. */
  static parse(text: string): Quantity {
    return new Quantity(parseQuantityParts(text));
  }

  /** `value * 10^exponent`. */
  static of(value: bigint | number, exponent = 0, format: QuantityFormat = 'DecimalSI'): Quantity {
    return new Quantity({ value: BigInt(value), exponent, format, wide: false });
  }

  static readonly zero: Quantity = Quantity.parse('0');

  get isZero(): boolean {
    return this.number === 0n;
  }

  /** -1, 0 or 1. */
  get sign(): -1 | 0 | 1 {
    return this.number === 0n ? 0 : this.number < 0n ? -1 : 1;
  }

  /** The sum; it takes the format of `other` when this is zero. */
  add(other: Quantity): Quantity {
    const exponent = Math.min(this.exponent, other.exponent);
    const value = shiftUp(this.number, this.exponent - exponent) + shiftUp(other.number, other.exponent - exponent);
    const format = this.isZero ? other.format : this.format;
    return new Quantity({ value, exponent, format, wide: this.wide || other.wide || exceedsInt64(value) });
  }

  sub(other: Quantity): Quantity {
    return this.add(other.negate());
  }

  negate(): Quantity {
    return new Quantity({ value: -this.number, exponent: this.exponent, format: this.format, wide: this.wide });
  }

  multiply(factor: bigint | number): Quantity {
    const value = this.number * BigInt(factor);
    return new Quantity({
      value,
      exponent: this.exponent,
      format: this.format,
      wide: this.wide || exceedsInt64(value),
    });
  }

  /** Negative, zero or positive, as for `Array.prototype.sort`. Takes no long time even for `1e2000000000`. */
  compare(other: Quantity): number {
    if (this.sign !== other.sign || this.sign === 0) return this.sign - other.sign;
    const magnitude = this.digits() - other.digits();
    if (magnitude !== 0) return magnitude > 0 ? this.sign : -this.sign;
    const exponent = Math.min(this.exponent, other.exponent);
    const left = shiftUp(this.number, this.exponent - exponent);
    const right = shiftUp(other.number, other.exponent - exponent);
    return left === right ? 0 : left < right ? -1 : 1;
  }

  equals(other: Quantity): boolean {
    return this.compare(other) === 0;
  }

  /** How many digits stand before the decimal point; negative for small fractions. */
  private digits(): number {
    return (this.number < 0n ? -this.number : this.number).toString().length + this.exponent;
  }

  /** The value as an int64, or `undefined` when it has a fraction, or was written as if it had one (`1000m`). */
  asInt64(): bigint | undefined {
    if (this.wide || this.exponent < 0) return undefined;
    if (this.number === 0n) return 0n;
    if (this.exponent > 18) return undefined;
    const value = shiftUp(this.number, this.exponent);
    return exceedsInt64(value) ? undefined : value;
  }

  /** How many units of `10^exponent` it is, rounded away from zero. */
  scaledValue(exponent: number): bigint {
    return this.exponent >= exponent
      ? shiftUp(this.number, this.exponent - exponent)
      : roundUp(this.number, exponent - this.exponent);
  }

  /** Rounded away from zero to a whole number. */
  get value(): bigint {
    return this.scaledValue(0);
  }

  /** In thousandths: what CPU shares are counted in. */
  get milliValue(): bigint {
    return this.scaledValue(-3);
  }

  /** The nearest number JavaScript has. */
  toNumber(): number {
    return Number(`${this.number}e${this.exponent}`);
  }

  /** The canonical form: no fraction, the largest unit that loses nothing. */
  toString(): string {
    this.text ??= this.canonicalize();
    return this.text;
  }

  toJSON(): string {
    return this.toString();
  }

  private canonicalize(): string {
    if (this.isZero) return '0';
    if (this.format === 'BinarySI' && this.isWhole() && !this.isBelow1024()) return this.printBinary();
    return this.printDecimal(this.format === 'DecimalExponent' ? 'DecimalExponent' : 'DecimalSI');
  }

  private isWhole(): boolean {
    return this.exponent >= 0 || this.number % 10n ** BigInt(-this.exponent) === 0n;
  }

  private isBelow1024(): boolean {
    const value = this.value;
    return value > -1024n && value < 1024n;
  }

  private printBinary(): string {
    let value = this.value;
    let exponent = 0;
    while (value % 1024n === 0n) {
      value /= 1024n;
      exponent += 10;
    }
    return `${value}${suffixFor(exponent, 'BinarySI')}`;
  }

  private printDecimal(format: QuantityFormat): string {
    let digits = this.number.toString();
    let end = digits.length;
    while (digits[end - 1] === '0') end--;
    let exponent = this.exponent + digits.length - end;
    digits = digits.slice(0, end);
    for (; exponent % 3 !== 0; exponent--) digits += '0';
    return `${digits}${suffixFor(exponent, format)}`;
  }
}

function exceedsInt64(value: bigint): boolean {
  return value >= int64Limit || value < -int64Limit;
}

/** The canonical form of a quantity in JSON: a string, or a number that stands for one. Throws a {@link QuantityError}. */
export function canonicalQuantity(value: string | number): string {
  return Quantity.parse(typeof value === 'number' ? String(value) : value.trim()).toString();
}
