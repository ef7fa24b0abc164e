import { defineErrors } from './define-errors.ts';

/** In which family of suffixes a quantity was written; it is printed in the same one. */
export type QuantityFormat = 'DecimalSI' | 'BinarySI' | 'DecimalExponent';

export const quantityErrors = defineErrors('meta', 'QuantityError', {
  INVALID_QUANTITY: {
    when: 'a text is no quantity',
    fix: 'write a number with one of the suffixes of Kubernetes: 100m, 1.5Gi',
  },
});

/** A text that Kubernetes cannot read as a quantity. The message is its own. */
export class QuantityError extends quantityErrors.Error {
  constructor(message: string) {
    super('INVALID_QUANTITY', message);
  }
}

/** Whether `error` is a QuantityError. */
export function isQuantityError(error: unknown): error is QuantityError {
  return quantityErrors.is(error);
}

const wrongFormat = "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'";
const wrongSuffix = "unable to parse quantity's suffix";
const wrongNumber = 'unable to parse numeric part of quantity';

/** Real numbers are shorter; parsing longer ones takes time that grows faster than their length. */
const maxTextLength = 4096;

/** `value * 10^exponent`. */
export interface QuantityParts {
  readonly value: bigint;
  readonly exponent: number;
  readonly format: QuantityFormat;
  /** Whether upstream would leave its 64-bit form for this number; then it refuses to see an integer in it. */
  readonly wide: boolean;
  /** The text as written, when upstream prints it back unchanged. */
  readonly text?: string;
}

const decimalSuffixes: readonly (readonly [string, number])[] = [
  ['n', -9],
  ['u', -6],
  ['m', -3],
  ['', 0],
  ['k', 3],
  ['M', 6],
  ['G', 9],
  ['T', 12],
  ['P', 15],
  ['E', 18],
];
const binarySuffixes: readonly (readonly [string, number])[] = [
  ['Ki', 10],
  ['Mi', 20],
  ['Gi', 30],
  ['Ti', 40],
  ['Pi', 50],
  ['Ei', 60],
];
const decimalExponentOf = new Map(decimalSuffixes);
const binaryExponentOf = new Map(binarySuffixes);
const decimalSuffixOf = new Map(decimalSuffixes.map(([suffix, exponent]) => [exponent, suffix]));
const binarySuffixOf = new Map(binarySuffixes.map(([suffix, exponent]) => [exponent, suffix]));

/** The suffix for a power of ten, or of two; the empty one where the format has none, which is upstream's way. */
export function suffixFor(exponent: number, format: QuantityFormat): string {
  if (format === 'DecimalExponent') return exponent === 0 ? '' : `e${exponent}`;
  return (format === 'BinarySI' ? binarySuffixOf : decimalSuffixOf).get(exponent) ?? '';
}

interface Suffix {
  readonly format: QuantityFormat;
  readonly exponent: number;
}

function interpretSuffix(text: string): Suffix {
  const decimal = decimalExponentOf.get(text);
  if (decimal !== undefined) return { format: 'DecimalSI', exponent: decimal };
  const binary = binaryExponentOf.get(text);
  if (binary !== undefined) return { format: 'BinarySI', exponent: binary };
  if (/^[eE][+-]?[0-9]{1,18}$/.test(text)) {
    // Upstream cuts the exponent to 32 bits.
    const exponent = Number(BigInt.asIntN(32, BigInt(text.slice(1).replace('+', ''))));
    return { format: 'DecimalExponent', exponent };
  }
  throw new QuantityError(wrongSuffix);
}

interface Scanned {
  readonly negative: boolean;
  readonly hasDigits: boolean;
  /** Digits before the point without leading zeros; `0` when none are left. */
  readonly whole: string;
  readonly fraction: string;
  readonly suffix: string;
}

const isDigit = (char: string | undefined): boolean => char !== undefined && char >= '0' && char <= '9';

/** Upstream's scanner is laxer than the pattern it prints: a sign or a point alone is zero. */
function scan(text: string): Scanned {
  if (text === '' || text.length > maxTextLength) throw new QuantityError(wrongFormat);
  let at = 0;
  const skip = (accepts: (char: string | undefined) => boolean): string => {
    const start = at;
    while (at < text.length && accepts(text[at])) at++;
    return text.slice(start, at);
  };
  const sign = text[0] === '-' || text[0] === '+' ? text[at++] : '';
  const zeros = skip((char) => char === '0');
  const whole = skip(isDigit);
  let fraction = '';
  if (text[at] === '.') {
    at++;
    fraction = skip(isDigit);
  }
  const suffixStart = at;
  skip((char) => char !== undefined && 'eEinumkKMGTP'.includes(char));
  if (text[at] === '-' || text[at] === '+') at++;
  skip(isDigit);
  if (at < text.length) throw new QuantityError(wrongFormat);
  return {
    negative: sign === '-',
    hasDigits: zeros !== '' || whole !== '' || fraction !== '',
    whole: whole || '0',
    fraction,
    suffix: text.slice(suffixStart),
  };
}

const int64Max = 2n ** 63n - 1n;
const nano = -9;

/** Reads a quantity; throws a {@link QuantityError}. */
export function parseQuantityParts(text: string): QuantityParts {
  if (text === '0') return { value: 0n, exponent: 0, format: 'DecimalSI', wide: false, text };
  const scanned = scan(text);
  const suffix = interpretSuffix(scanned.suffix);
  return narrow(text, scanned, suffix) ?? wide(scanned, suffix);
}

/** Numbers of up to 18 digits, none below nano. Written in nearly canonical form they are printed as they were written. */
function narrow(text: string, { negative, whole, fraction }: Scanned, suffix: Suffix): QuantityParts | undefined {
  const { format } = suffix;
  const digits = whole + fraction;
  if (format === 'BinarySI') {
    const precision = 15 - whole.length - Math.trunc((suffix.exponent * 3) / 10) - 1;
    if (fraction !== '' || precision < 0) return undefined;
    const number = BigInt(digits);
    const magnitude = number << BigInt(suffix.exponent);
    const value = negative ? -magnitude : magnitude;
    return { value, exponent: 0, format, wide: false, ...((number & 7n) !== 0n ? { text } : {}) };
  }
  const exponent = suffix.exponent - fraction.length;
  if (digits.length > 18 || exponent < nano) return undefined;
  const magnitude = BigInt(digits);
  const canonical = exponent % 3 === 0 && !digits.endsWith('000') && !digits.startsWith('0');
  return { value: negative ? -magnitude : magnitude, exponent, format, wide: false, ...(canonical ? { text } : {}) };
}

/** All other numbers: rounded up to nano and, in powers of two, capped at the largest int64. */
function wide({ negative, hasDigits, whole, fraction }: Scanned, suffix: Suffix): QuantityParts {
  if (!hasDigits) throw new QuantityError(wrongNumber);
  const binary = suffix.format === 'BinarySI';
  let exponent = (binary ? 0 : suffix.exponent) - fraction.length;
  let magnitude = BigInt(whole + fraction) << BigInt(binary ? suffix.exponent : 0);
  if (magnitude !== 0n && exponent < nano) {
    magnitude = roundUp(magnitude, nano - exponent);
    exponent = nano;
  }
  let { format } = suffix;
  if (binary) {
    const one = 10n ** BigInt(-exponent);
    if (magnitude > int64Max * one) [magnitude, exponent] = [int64Max, 0];
    else if (magnitude > 0n && magnitude < one) format = 'DecimalSI';
  }
  return { value: negative ? -magnitude : magnitude, exponent, format, wide: true };
}

/** `value / 10^places`, away from zero. */
export function roundUp(value: bigint, places: number): bigint {
  if (value === 0n) return 0n;
  const sign = value < 0n ? -1n : 1n;
  if (places > maxTextLength * 2) return sign;
  const divisor = 10n ** BigInt(places);
  return value % divisor === 0n ? value / divisor : value / divisor + sign;
}
