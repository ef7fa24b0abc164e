import { quoteGo } from '@tektite/meta';
import { declare, type FunctionDeclaration, overload } from '../language/declarations.ts';
import { EvaluationError } from '../language/evaluation.ts';
import {
  boolType,
  bytesType,
  type CelType,
  doubleType,
  durationType,
  intType,
  stringType,
  timestampType,
  uintType,
} from '../language/type.ts';
import { Duration, Timestamp, Uint, type Value } from '../language/value.ts';
import { toInt, toUint } from './standard.ts';
import { checkTimestamp, formatDuration, formatTimestamp, parseDuration, parseTimestamp } from './time.ts';

const second = 1_000_000_000n;

function parseInteger(text: string, name: string, fits: (value: bigint) => boolean): bigint {
  const fail = (reason: string) => new EvaluationError(`strconv.${name}: parsing ${quoteGo(text)}: ${reason}`);
  if (!/^[+-]?[0-9]{1,400}$/.test(text)) throw fail('invalid syntax');
  const value = BigInt(text.startsWith('+') ? text.slice(1) : text);
  if (!fits(value)) throw fail('value out of range');
  return value;
}

function parseDouble(text: string): number {
  const special = /^[+-]?(inf|infinity)$/i.test(text) ? (text.startsWith('-') ? -Infinity : Infinity) : undefined;
  if (special !== undefined) return special;
  if (/^nan$/i.test(text)) return Number.NaN;
  if (!/^[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?$/.test(text))
    throw new EvaluationError(`strconv.ParseFloat: parsing ${quoteGo(text)}: invalid syntax`);
  return Number(text);
}

function parseBool(text: string): boolean {
  if (['1', 't', 'T', 'TRUE', 'true', 'True'].includes(text)) return true;
  if (['0', 'f', 'F', 'FALSE', 'false', 'False'].includes(text)) return false;
  throw new EvaluationError(`strconv.ParseBool: parsing ${quoteGo(text)}: invalid syntax`);
}

function doubleToInt(value: number): bigint {
  if (!Number.isFinite(value) || Math.abs(value) >= 2 ** 63) throw new EvaluationError('integer overflow');
  return BigInt(Math.trunc(value));
}

function doubleToUint(value: number): Uint {
  if (!Number.isFinite(value) || value < 0 || value >= 2 ** 64) throw new EvaluationError('unsigned integer overflow');
  return new Uint(BigInt(Math.trunc(value)));
}

/** A double as `%g` prints it. */
export function formatDouble(value: number): string {
  if (Number.isNaN(value)) return 'NaN';
  if (!Number.isFinite(value)) return value > 0 ? '+Inf' : '-Inf';
  if (Object.is(value, -0)) return '-0';
  const magnitude = Math.abs(value);
  const text = magnitude !== 0 && (magnitude < 1e-4 || magnitude >= 1e21) ? value.toExponential() : String(value);
  return text.replace(/e([+-])([0-9])$/, 'e$10$2');
}

function bytesToString(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw new EvaluationError('invalid UTF-8 in bytes, cannot convert to string');
  }
}

type Conversion = readonly [from: CelType, convert: (value: never) => Value];

/** `name(value)` for values of several types; a value of the type itself stays as it is. */
function conversions(name: string, to: CelType, ...from: Conversion[]): FunctionDeclaration {
  const own: Conversion = [to, (value: Value) => value];
  return declare(
    name,
    ...[own, ...from].map(([type, convert]) =>
      overload(`${short(type)}_to_${short(to)}`, [type], to, convert as (...args: never[]) => Value),
    ),
  );
}

const short = ({ kind }: CelType): string => (kind === 'int' ? 'int64' : kind === 'uint' ? 'uint64' : kind);

/** Conversions between types. */
export const conversionLibrary: readonly FunctionDeclaration[] = [
  conversions('bool', boolType, [stringType, parseBool]),
  conversions('bytes', bytesType, [stringType, (text: string) => new TextEncoder().encode(text)]),
  conversions(
    'double',
    doubleType,
    [intType, (value: bigint) => Number(value)],
    [uintType, ({ value }: Uint) => Number(value)],
    [stringType, parseDouble],
  ),
  conversions('duration', durationType, [stringType, parseDuration]),
  conversions(
    'int',
    intType,
    [doubleType, doubleToInt],
    [uintType, ({ value }: Uint) => toInt(value)],
    [stringType, (text: string) => parseInteger(text, 'ParseInt', (value) => BigInt.asIntN(64, value) === value)],
    [durationType, ({ nanoseconds }: Duration) => nanoseconds],
    [
      timestampType,
      ({ nanoseconds }: Timestamp) => (nanoseconds - (((nanoseconds % second) + second) % second)) / second,
    ],
  ),
  conversions(
    'string',
    stringType,
    [boolType, String],
    [bytesType, bytesToString],
    [doubleType, formatDouble],
    [intType, String],
    [uintType, ({ value }: Uint) => String(value)],
    [durationType, formatDuration],
    [timestampType, formatTimestamp],
  ),
  conversions(
    'timestamp',
    timestampType,
    [stringType, parseTimestamp],
    [intType, (value: bigint) => checkTimestamp(value * second)],
  ),
  conversions(
    'uint',
    uintType,
    [doubleType, doubleToUint],
    [intType, (value: bigint) => toUint(value)],
    [
      stringType,
      (text: string) => new Uint(parseInteger(text, 'ParseUint', (value) => BigInt.asUintN(64, value) === value)),
    ],
  ),
];
