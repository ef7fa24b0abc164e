import type { FieldPath } from './field-path.ts';

/** What kind of mistake a field has; the value is the `reason` of a Status cause. */
export type FieldErrorReason =
  | 'FieldValueNotFound'
  | 'FieldValueRequired'
  | 'FieldValueDuplicate'
  | 'FieldValueInvalid'
  | 'FieldValueNotSupported'
  | 'FieldValueForbidden'
  | 'FieldValueTooLong'
  | 'FieldValueTooMany'
  | 'FieldValueTypeInvalid'
  | 'InternalError';

/** One mistake in one field of an object. `message` is the text after the path, as Kubernetes words it. */
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
  if (typeof value === 'object') return JSON.stringify(value);
  return String(value as number | boolean | bigint);
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
    else result += char;
  }
  return `${result}"`;
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
  return make('FieldValueTooLong', path, 'Too long', maxLength >= 0 ? `may not be more than ${maxLength} bytes` : '');
}

export function tooMany(path: Path, count: number, maxItems: number): FieldError {
  return make('FieldValueTooMany', path, `Too many: ${count}`, `must have at most ${maxItems} items`);
}

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
