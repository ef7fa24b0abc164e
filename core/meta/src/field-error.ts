import type { FieldPath } from './field-path.ts';
import { stringifyJson } from './json-text.ts';

/** The type of a field error; the value is the `reason` of a Status cause. */
export type FieldErrorReason =
  | 'FieldValueNotFound'
  | 'FieldValueRequired'
  | 'FieldValueDuplicate'
  | 'FieldValueInvalid'
  | 'FieldValueNotSupported'
  | 'FieldValueForbidden'
  | 'FieldValueTooLong'
  | 'FieldValueTooShort'
  | 'FieldValueTooMany'
  | 'FieldValueTooFew'
  | 'FieldValueTypeInvalid'
  | 'InternalError';

/** One error of one field of an object. `message` is the text after the path, as Kubernetes words it. */
export interface FieldError {
  readonly reason: FieldErrorReason;
  readonly field: string;
  readonly message: string;
}

type Path = FieldPath | string;

function make(reason: FieldErrorReason, path: Path, title: string, detail: string): FieldError {
  return { reason, field: path.toString(), message: detail === '' ? title : `${title}: ${detail}` };
}

/**
 * A value as Go prints it in a validation message: strings quoted, objects as JSON, nothing as `null`.
 */
export function formatBadValue(value: unknown): string {
  if (value === undefined || value === null) return 'null';
  if (typeof value === 'string') return quoteGo(value);
  if (typeof value === 'number') return formatGoNumber(value);
  if (typeof value === 'object') return escapeHtml(stringifyJson(value));
  return String(value as boolean | bigint);
}

/** A number as Go's `%v` prints it: like JavaScript, but for small fractions and for the width of exponents. */
export function formatGoNumber(value: number): string {
  const text = String(value);
  if (!Number.isFinite(value) || Number.isInteger(value) || Math.abs(value) >= 1e-4)
    return text.replace(/e([+-])([0-9])$/, 'e$10$2');
  return value.toExponential().replace(/e([+-])([0-9])$/, 'e$10$2');
}

const htmlEscapes: Readonly<Record<string, string>> = {
  '<': '\\u003c',
  '>': '\\u003e',
  '&': '\\u0026',
  '\u2028': '\\u2028',
  '\u2029': '\\u2029',
};

/** JSON with the escapes that Go adds, so that it may stand in HTML. */
export function escapeHtml(json: string): string {
  return json.replaceAll(/[<>&\u2028\u2029]/g, (char) => htmlEscapes[char] as string);
}

/** A string as Go's `%q` prints it. */
export function quoteGo(text: string): string {
  let result = '"';
  for (const char of text) {
    const code = char.codePointAt(0) as number;
    if (char === '"' || char === '\\') result += `\\${char}`;
    else if (char === '\n') result += '\\n';
    else if (char === '\t') result += '\\t';
    else if (char === '\r') result += '\\r';
    else if (char === '\x07') result += '\\a';
    else if (char === '\b') result += '\\b';
    else if (char === '\f') result += '\\f';
    else if (char === '\v') result += '\\v';
    else if (code < 0x20 || code === 0x7f) result += `\\x${code.toString(16).padStart(2, '0')}`;
    else if (code < 0x7f || isPrintable(char)) result += char;
    else if (code < 0x10000) result += `\\u${code.toString(16).padStart(4, '0')}`;
    else result += `\\U${code.toString(16).padStart(8, '0')}`;
  }
  return `${result}"`;
}

/**
 * Characters that Go considers printable: letters, marks, numbers, punctuation, symbols, and of the spaces only the
 * ASCII one.
 */
function isPrintable(char: string): boolean {
  return /^[\p{L}\p{M}\p{N}\p{P}\p{S}]$/u.test(char);
}

export function invalid(path: Path, value: unknown, detail: string): FieldError {
  return make('FieldValueInvalid', path, `Invalid value: ${formatBadValue(value)}`, detail);
}

export function required(path: Path, detail = ''): FieldError {
  return make('FieldValueRequired', path, 'Required value', detail);
}

export function duplicate(path: Path, value: unknown): FieldError {
  return make('FieldValueDuplicate', path, `Duplicate value: ${formatBadValue(value)}`, '');
}

export function forbidden(path: Path, detail = ''): FieldError {
  return make('FieldValueForbidden', path, 'Forbidden', detail);
}

export function notFound(path: Path, value: unknown): FieldError {
  return make('FieldValueNotFound', path, `Not found: ${formatBadValue(value)}`, '');
}

/** `supported` is printed in the order given; upstream sorts some of its lists and not others. */
export function notSupported(path: Path, value: unknown, supported: readonly string[]): FieldError {
  const detail = supported.length === 0 ? '' : `supported values: ${supported.map(quoteGo).join(', ')}`;
  return make('FieldValueNotSupported', path, `Unsupported value: ${formatBadValue(value)}`, detail);
}

/** Upstream does not print the value of a field that is too long (it says `<value omitted>`), only the limit. */
export function tooLong(path: Path, maxLength: number): FieldError {
  const detail = maxLength >= 0 ? `may not be more than ${plural(maxLength, 'byte')}` : 'value is too long';
  return make('FieldValueTooLong', path, 'Too long', detail);
}

export function tooShort(path: Path, minLength: number): FieldError {
  const detail = minLength >= 0 ? `must be at least ${plural(minLength, 'character')}` : 'value is too short';
  return make('FieldValueTooShort', path, 'Too short', detail);
}

/** A negative count is not printed. */
export function tooMany(path: Path, count: number, maxItems: number): FieldError {
  const title = count >= 0 ? `Too many: ${count}` : 'Too many';
  const detail = maxItems >= 0 ? `must have at most ${plural(maxItems, 'item')}` : 'has too many items';
  return make('FieldValueTooMany', path, title, detail);
}

const plural = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? '' : 's'}`;

export function typeInvalid(path: Path, value: unknown, detail: string): FieldError {
  return make('FieldValueTypeInvalid', path, `Invalid value: ${formatBadValue(value)}`, detail);
}

export function internalError(path: Path, detail: string): FieldError {
  return make('InternalError', path, 'Internal error', detail);
}

/** `path: message`, or the message alone for an error of the whole object. */
export function formatFieldError({ field, message }: FieldError): string {
  return field === '' ? message : `${field}: ${message}`;
}

/**
 * Several errors in one line, as Kubernetes aggregates them: one alone stands bare, more stand in brackets, and the same
 * text is not said twice.
 */
export function formatFieldErrors(errors: readonly FieldError[]): string {
  const texts = [...new Set(errors.map(formatFieldError))];
  return texts.length === 1 ? (texts[0] as string) : `[${texts.join(', ')}]`;
}
