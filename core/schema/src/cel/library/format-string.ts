import { EvaluationError } from '../language/evaluation.ts';
import { formatType } from '../language/type.ts';
import {
  Duration,
  ListValue,
  MapValue,
  OpaqueValue,
  Optional,
  Timestamp,
  TypeValue,
  typeOf,
  Uint,
  type Value,
} from '../language/value.ts';
import { formatDouble } from './conversion.ts';
import { formatDuration, formatTimestamp } from './time.ts';

/** `text.format([args])`: `%s %d %f %e %x %X %o %b %%`, with a precision for `%f` and `%e`. */
export function formatString(text: string, args: ListValue): string {
  let next = 0;
  return text.replaceAll(/%(?:%|(?:\.([0-9]{1,3}))?([a-zA-Z])?)/g, (clause, precision?: string, verb?: string) => {
    if (clause === '%%') return '%';
    if (verb === undefined) throw new EvaluationError('could not parse formatting clause: unexpected end of string');
    if (next >= args.size) throw new EvaluationError(`index ${next} out of range`);
    const value = args.at(next++);
    try {
      return formatClause(verb, value, precision === undefined ? undefined : Number(precision));
    } catch (error) {
      if (!(error instanceof EvaluationError)) throw error;
      throw new EvaluationError(`error during formatting: ${error.message}`);
    }
  });
}

function formatClause(verb: string, value: Value, precision: number | undefined): string {
  switch (verb) {
    case 's':
      return formatAny(value);
    case 'd':
      return formatDecimal(value);
    case 'f':
      return number(value, verb).toFixed(precision ?? 6);
    case 'e':
      return number(value, verb)
        .toExponential(precision ?? 6)
        .replace(/e([+-])([0-9])$/, 'e$10$2');
    case 'b':
      return typeof value === 'boolean' ? String(Number(value)) : integer(value, verb).toString(2);
    case 'o':
      return integer(value, verb).toString(8);
    case 'x':
      return hex(value, verb);
    case 'X':
      return hex(value, verb).toUpperCase();
    default:
      throw new EvaluationError(`could not parse formatting clause: unrecognized formatting clause "${verb}"`);
  }
}

/** A value as `%s` prints it. */
function formatAny(value: Value): string {
  if (value === null || typeof value === 'boolean' || typeof value === 'bigint') return String(value);
  if (typeof value === 'string') return value;
  if (typeof value === 'number') return formatDouble(value);
  if (value instanceof Uint) return String(value.value);
  if (value instanceof Uint8Array) return new TextDecoder().decode(value);
  if (value instanceof Duration) return formatDuration(value);
  if (value instanceof Timestamp) return formatTimestamp(value);
  if (value instanceof TypeValue) return formatType(value.type);
  if (value instanceof ListValue) return `[${[...value].map(formatAny).join(', ')}]`;
  if (value instanceof MapValue) return formatMap(value);
  if (value instanceof Optional || value instanceof OpaqueValue)
    throw new EvaluationError(
      `string clause can only be used on strings, bools, bytes, ints, doubles, maps, lists, types, durations, and timestamps, was given ${formatType(typeOf(value))}`,
    );
  return '';
}

function formatMap(map: MapValue): string {
  const entries = [...map.keys()].map((key) => [formatAny(key), formatAny(map.find(key) ?? null)] as const);
  entries.sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0));
  return `{${entries.map(([key, value]) => `${key}: ${value}`).join(', ')}}`;
}

function formatDecimal(value: Value): string {
  if (typeof value === 'number' && !Number.isFinite(value)) return formatDouble(value);
  return String(integer(value, 'd'));
}

function integer(value: Value, verb: string): bigint {
  if (typeof value === 'bigint') return value;
  if (value instanceof Uint) return value.value;
  const names: Record<string, string> = { d: 'decimal', b: 'binary', o: 'octal', x: 'hex', X: 'hex' };
  throw new EvaluationError(
    `${names[verb]} clause can only be used on integers, was given ${formatType(typeOf(value))}`,
  );
}

function number(value: Value, verb: string): number {
  if (typeof value === 'number') return value;
  if (typeof value === 'bigint') return Number(value);
  if (value instanceof Uint) return Number(value.value);
  const name = verb === 'f' ? 'fixed-point' : 'scientific';
  throw new EvaluationError(`${name} clause can only be used on doubles, was given ${formatType(typeOf(value))}`);
}

function hex(value: Value, verb: string): string {
  const bytes = typeof value === 'string' ? new TextEncoder().encode(value) : value;
  if (bytes instanceof Uint8Array) return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
  return integer(value, verb).toString(16);
}
