import { normalizeInteger } from '@tektite/meta';

/** The value of a plain scalar in YAML 1.1, as Kubernetes reads it. */
export type YamlScalar = string | number | bigint | boolean | null;

const words = new Map<string, YamlScalar>([
  ...['y', 'Y', 'yes', 'Yes', 'YES', 'true', 'True', 'TRUE', 'on', 'On', 'ON'].map((word) => [word, true] as const),
  ...['n', 'N', 'no', 'No', 'NO', 'false', 'False', 'FALSE', 'off', 'Off', 'OFF'].map((word) => [word, false] as const),
  ...['', '~', 'null', 'Null', 'NULL'].map((word) => [word, null] as const),
  ...['.nan', '.NaN', '.NAN'].map((word) => [word, Number.NaN] as const),
  ...['.inf', '.Inf', '.INF', '+.inf', '+.Inf', '+.INF'].map((word) => [word, Number.POSITIVE_INFINITY] as const),
  ...['-.inf', '-.Inf', '-.INF'].map((word) => [word, Number.NEGATIVE_INFINITY] as const),
]);

const decimalFloat = /^[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?$/;
const leadingPointFloat = /^\.[0-9]+(?:[eE][-+]?[0-9]+)?$/;
const integer = /^([-+]?)(?:0[xX]([0-9a-fA-F]+)|0[bB]([01]+)|0[oO]?([0-7]+)|(0|[1-9][0-9]*))$/;

const int64Limit = 2n ** 63n;
const uint64Limit = 2n ** 64n;

/**
 * The value of a plain scalar: `yes` is true, `0777` is 511, `1_000` is 1000; `12:30:00` and dates stay strings.
 */
export function resolveScalar(text: string): YamlScalar {
  const word = words.get(text);
  if (word !== undefined) return word;
  const first = text[0] as string;
  if (first === '.') return leadingPointFloat.test(text) ? Number(text) : text;
  if (!/[-+0-9]/.test(first)) return text;
  const digits = text.includes('_') ? text.replaceAll('_', '') : text;
  const whole = resolveInteger(digits);
  if (whole !== undefined) return whole;
  return decimalFloat.test(digits) && Number.isFinite(Number(digits)) ? Number(digits) : text;
}

function resolveInteger(text: string): number | bigint | undefined {
  const match = integer.exec(text);
  if (!match) return undefined;
  const [, sign, hexadecimal, binary, octal, decimal] = match;
  const literal = hexadecimal
    ? `0x${hexadecimal}`
    : binary
      ? `0b${binary}`
      : octal
        ? `0o${octal}`
        : (decimal as string);
  // Long runs of digits are no integers in Go, and costly to read here.
  if (literal.length > 70) return undefined;
  const magnitude = BigInt(literal);
  const value = sign === '-' ? -magnitude : magnitude;
  if (value < -int64Limit || value >= (sign === '' ? uint64Limit : int64Limit)) return undefined;
  return normalizeInteger(value);
}

/** Whether a string would be read as something else if it stood without quotes. */
export function isResolved(text: string): boolean {
  if (words.has(text)) return true;
  if (isTimestamp(text)) return true;
  return typeof resolveScalar(text) !== 'string';
}

const longTimestamp =
  /^([0-9]{4})-([0-9]{1,2})-([0-9]{1,2})(?:[Tt]([0-9]{1,2}):([0-9]{1,2}):([0-9]{1,2})(?:[.,][0-9]+)?(?:Z|[-+][0-9]{2}:[0-9]{2})| ([0-9]{1,2}):([0-9]{1,2}):([0-9]{1,2})(?:[.,][0-9]+)?)?$/;

/** The timestamps of YAML 1.1 that Go knows. They are read as strings, but a string like one is printed with quotes. */
function isTimestamp(text: string): boolean {
  const match = longTimestamp.exec(text);
  if (!match) return false;
  const [year, month, day] = [Number(match[1]), Number(match[2]), Number(match[3])];
  const [hour, minute, second] = [match[4] ?? match[7], match[5] ?? match[8], match[6] ?? match[9]].map(Number);
  if (month < 1 || month > 12 || day < 1 || day > daysIn(year, month)) return false;
  return hour === undefined || Number.isNaN(hour) || (hour < 24 && (minute as number) < 60 && (second as number) < 60);
}

function daysIn(year: number, month: number): number {
  if (month === 2) return year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0) ? 29 : 28;
  return month === 4 || month === 6 || month === 9 || month === 11 ? 30 : 31;
}
