import { jsonTypeName } from '@tektite/go';
import { escapeHtml, formatGoDuration, normalizeTime, parseGoDuration, Quantity } from '@tektite/meta';
import { canonicalJson } from '@tektite/schema';
import type { ParamValue } from './param.ts';

/** A value that refuses to be read. Unlike a wrong type it is told at once, whatever was wrong before it. */
export class GoValueError extends Error {
  override readonly name = 'GoValueError';
}

/** A value that was read and cannot be printed. Go only tells when there is nothing else to tell. */
export class GoPrintError extends GoValueError {}

/** A value of another type than its reader wants. Where it stands is for the decoder to say. */
export class GoTypeMismatch extends Error {
  /** As Go calls it: `number`, `object`. */
  readonly found: string;
  readonly wanted: string;

  constructor(found: string, wanted: string) {
    super(`${found} instead of ${wanted}`);
    this.found = found;
    this.wanted = wanted;
  }
}

/** `90m` is read, `1h30m0s` is printed. */
export function readDuration(value: unknown): string {
  return readSelf(() => formatGoDuration(parseGoDuration(textOf(value))));
}

/** `0.5` is read, `500m` is printed. */
export function readQuantity(value: unknown): string {
  return readSelf(() => Quantity.parse(typeof value === 'string' ? value : JSON.stringify(value)).toString());
}

export function readTime(value: unknown): string | null {
  return readSelf(() => normalizeTime(textOf(value)));
}

export function readIntOrString(value: unknown): string | number {
  if (typeof value === 'string') return value;
  if (Number.isInteger(value)) return value as number;
  const named = typeof value === 'number' ? `number ${value}` : jsonTypeName(value);
  throw new GoTypeMismatch(named, 'int32');
}

/**
 * A parameter's value is a text, a list of texts or a map of texts. Everything else, numbers and lists of numbers among it,
 * is a text that holds the JSON.
 */
export function readParamValue(value: unknown): ParamValue {
  if (typeof value === 'string') return value;
  if (value === null || value === undefined) return '';
  if (Array.isArray(value) && value.every(isTextOrNull)) return value.map((item) => (item as string | null) ?? '');
  if (typeof value === 'object' && !Array.isArray(value)) {
    const entries = Object.entries(value);
    if (entries.every(([, item]) => isTextOrNull(item)))
      return Object.fromEntries(
        entries
          .map(([key, item]) => [key, (item as string | null) ?? ''])
          .sort(([a], [b]) => ((a as string) < (b as string) ? -1 : 1)),
      ) as Readonly<Record<string, string>>;
  }
  return escapeHtml(canonicalJson(value));
}

const isTextOrNull = (value: unknown) => typeof value === 'string' || value === null;

function textOf(value: unknown): string {
  if (typeof value === 'string') return value;
  throw new GoTypeMismatch(jsonTypeName(value), 'string');
}

function readSelf<T>(read: () => T): T {
  try {
    return read();
  } catch (cause) {
    if (cause instanceof GoTypeMismatch) throw cause;
    throw new GoValueError((cause as Error).message, { cause });
  }
}
