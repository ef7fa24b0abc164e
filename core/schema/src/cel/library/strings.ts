import { RE2JS } from 're2js';
import { declare, type FunctionDeclaration, method, overload } from '../language/declarations.ts';
import { EvaluationError } from '../language/evaluation.ts';
import { dynType, intType, listType, stringType } from '../language/type.ts';
import { ArrayList, type ListValue } from '../language/value.ts';
import { compilePattern } from '../../validate/pattern.ts';
import { formatString } from './format-string.ts';

const list = listType(stringType);
const characters = (text: string): string[] => Array.from(text);
const outOfRange = (index: bigint | number): EvaluationError => new EvaluationError(`index out of range: ${index}`);

function charAt(text: string, index: bigint): string {
  const all = characters(text);
  if (index < 0n || index > BigInt(all.length)) throw outOfRange(index);
  return all[Number(index)] ?? '';
}

/** Offsets in code points of a position in UTF-16. */
const pointsBefore = (text: string, position: number): number => characters(text.slice(0, position)).length;
const position = (text: string, points: number): number => characters(text).slice(0, points).join('').length;

function indexOf(text: string, part: string, offset = 0n): bigint {
  if (offset < 0n) throw outOfRange(offset);
  const length = characters(text).length;
  if (part === '') return offset > BigInt(length) ? BigInt(length) : offset;
  if (offset >= BigInt(length)) return -1n;
  const found = text.indexOf(part, position(text, Number(offset)));
  return found < 0 ? -1n : BigInt(pointsBefore(text, found));
}

function lastIndexOf(text: string, part: string, offset?: bigint): bigint {
  const length = characters(text).length;
  if (offset !== undefined && offset < 0n) throw outOfRange(offset);
  if (part === '') return offset === undefined || offset > BigInt(length) ? BigInt(length) : offset;
  if (offset !== undefined && offset >= BigInt(length)) return -1n;
  const found = text.lastIndexOf(part, offset === undefined ? undefined : position(text, Number(offset)));
  return found < 0 ? -1n : BigInt(pointsBefore(text, found));
}

function substring(text: string, start: bigint, end?: bigint): string {
  const all = characters(text);
  const last = end ?? BigInt(all.length);
  if (end !== undefined && start > end)
    throw new EvaluationError(`invalid substring range. start: ${start}, end: ${end}`);
  for (const index of [start, last]) if (index < 0n || index > BigInt(all.length)) throw outOfRange(index);
  return all.slice(Number(start), Number(last)).join('');
}

/** Longer texts are not made: a replacement at every character multiplies two lengths. */
const maxLength = 1 << 26;

function replace(text: string, old: string, replacement: string, count = -1n): string {
  const places = old === '' ? text.length + 1 : text.length / old.length;
  const most = count < 0n ? places : Math.min(places, Number(count));
  if (most * replacement.length > maxLength && countOf(text, old) * replacement.length > maxLength)
    throw new EvaluationError('the replaced text is too long');
  if (count < 0n && old !== '') return text.split(old).join(replacement);
  const max = count < 0n ? Infinity : Number(count);
  if (old === '') {
    const all = characters(text);
    let result = '';
    for (let i = 0; i <= all.length; i++) result += (i < max ? replacement : '') + (all[i] ?? '');
    return result;
  }
  const parts = splitAt(text, old, max + 1);
  return parts.join(replacement);
}

function countOf(text: string, part: string): number {
  if (part === '') return text.length + 1;
  let count = 0;
  for (let at = text.indexOf(part); at >= 0; at = text.indexOf(part, at + part.length)) count++;
  return count;
}

/** Like Go's SplitN: at most `most` parts, the last holds the rest. */
function splitAt(text: string, separator: string, max: number): string[] {
  const parts = separator === '' ? characters(text) : text.split(separator);
  if (parts.length <= max) return parts;
  const glue = separator === '' ? '' : separator;
  return [...parts.slice(0, max - 1), parts.slice(max - 1).join(glue)];
}

function split(text: string, separator: string, count = -1n): ListValue {
  if (count === 0n) return new ArrayList([]);
  return new ArrayList(splitAt(text, separator, count < 0n ? Infinity : Number(count)));
}

function join(strings: ListValue, separator = ''): string {
  const parts: string[] = [];
  for (const item of strings) {
    if (typeof item !== 'string') throw new EvaluationError('join: invalid input');
    parts.push(item);
  }
  return parts.join(separator);
}

const blank = /^[\t-\r \u0085\u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]$/;

/** Without the spaces of Go around it, which are not quite those of JavaScript. */
function trim(text: string): string {
  let [start, end] = [0, text.length];
  while (start < end && blank.test(text[start] as string)) start++;
  while (end > start && blank.test(text[end - 1] as string)) end--;
  return text.slice(start, end);
}

const escapes: Readonly<Record<string, string>> = {
  '\x07': '\\a',
  '\b': '\\b',
  '\f': '\\f',
  '\n': '\\n',
  '\r': '\\r',
  '\t': '\\t',
  '\v': '\\v',
  '\\': '\\\\',
  '"': '\\"',
};

function quote(text: string): string {
  return `"${text.replaceAll(/[\p{Cc}\\"]/gu, (char) => escapes[char] ?? char)}"`;
}

function regex(pattern: string): RE2JS {
  const compiled = compilePattern(pattern);
  if (typeof compiled === 'string') throw new EvaluationError(`Illegal regex: ${compiled}`);
  return compiled;
}

function find(text: string, pattern: string): string {
  const matcher = regex(pattern).matcher(text);
  return matcher.find() ? (matcher.group() ?? '') : '';
}

function findAll(text: string, pattern: string, limit = -1n): ListValue {
  const matcher = regex(pattern).matcher(text);
  const found: string[] = [];
  while ((limit < 0n || BigInt(found.length) < limit) && matcher.find()) found.push(matcher.group() ?? '');
  return new ArrayList(found);
}

/** Functions on strings of cel-go's extension, version 2. */
export const stringExtension: readonly FunctionDeclaration[] = [
  declare('charAt', method('string_char_at_int', [stringType, intType], stringType, charAt)),
  declare(
    'indexOf',
    method('string_index_of_string', [stringType, stringType], intType, indexOf),
    method('string_index_of_string_int', [stringType, stringType, intType], intType, indexOf),
  ),
  declare(
    'lastIndexOf',
    method('string_last_index_of_string', [stringType, stringType], intType, lastIndexOf),
    method('string_last_index_of_string_int', [stringType, stringType, intType], intType, lastIndexOf),
  ),
  declare(
    'lowerAscii',
    method('string_lower_ascii', [stringType], stringType, (text: string) =>
      text.replaceAll(/[A-Z]+/g, (part) => part.toLowerCase()),
    ),
  ),
  declare(
    'upperAscii',
    method('string_upper_ascii', [stringType], stringType, (text: string) =>
      text.replaceAll(/[a-z]+/g, (part) => part.toUpperCase()),
    ),
  ),
  declare(
    'replace',
    method('string_replace_string_string', [stringType, stringType, stringType], stringType, replace),
    method('string_replace_string_string_int', [stringType, stringType, stringType, intType], stringType, replace),
  ),
  declare(
    'split',
    method('string_split_string', [stringType, stringType], list, split),
    method('string_split_string_int', [stringType, stringType, intType], list, split),
  ),
  declare(
    'substring',
    method('string_substring_int', [stringType, intType], stringType, substring),
    method('string_substring_int_int', [stringType, intType, intType], stringType, substring),
  ),
  declare('trim', method('string_trim', [stringType], stringType, trim)),
  declare('format', method('string_format', [stringType, listType(dynType)], stringType, formatString)),
  declare('strings.quote', overload('strings_quote', [stringType], stringType, quote)),
  declare(
    'join',
    method('list_join', [list], stringType, join),
    method('list_join_string', [list, stringType], stringType, join),
  ),
];

/** Version 3 of the extension, which Kubernetes does not have. */
export const newerStringExtension: readonly FunctionDeclaration[] = [
  declare(
    'reverse',
    method('string_reverse', [stringType], stringType, (text: string) => characters(text).reverse().join('')),
  ),
];

/** Functions on strings: the extension, and Kubernetes' regular expressions. */
export const stringLibrary: readonly FunctionDeclaration[] = [
  ...stringExtension,
  declare('find', method('string_find_string', [stringType, stringType], stringType, find)),
  declare(
    'findAll',
    method('string_find_all_string', [stringType, stringType], list, findAll),
    method('string_find_all_string_int', [stringType, stringType, intType], list, findAll),
  ),
];
