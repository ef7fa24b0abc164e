import { DecodeError } from './decode-error.ts';
import { type JsonDocument, parseJsonDocument, plainNumbers } from './json-document.ts';
import { measureJson } from './json-measures.ts';
import { jsonSyntaxError } from './json-syntax-error.ts';

/**
 * How deep objects and lists may be nested. Upstream allows 10000; no real object comes near either, and this much can be
 * walked by recursion everywhere.
 */
export const maxDepth = 1000;

const utf8 = new TextDecoder('utf-8', { ignoreBOM: true });

/**
 * Parses JSON as Kubernetes does; an error is a {@link DecodeError} with Go's message. Bytes that are no UTF-8 become
 * U+FFFD.
 *
 * A whole number of 64 bits that a `number` would change is a `bigint`.
 *
 * @param keepNumbers whether the text of numbers like `1e3` or `1.0` matters to the caller
 */
export function decodeJson(bytes: Uint8Array, { keepNumbers = false } = {}): JsonDocument {
  const text = utf8.decode(bytes);
  const value = parse(text, bytes);
  const measures = measureJson(bytes);
  if (measures.depth > maxDepth) throw new DecodeError('exceeded max depth');
  if ((keepNumbers && measures.hasFractions) || measures.keys !== countKeys(value)) return parseJsonDocument(text);
  if (measures.hasLongIntegers) return { value: plainNumbers(parseJsonDocument(text).value), hasNumberTexts: false };
  return { value, hasNumberTexts: false };
}

function parse(text: string, bytes: Uint8Array): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new DecodeError(jsonSyntaxError(bytes), { cause });
  }
}

function countKeys(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0;
  let count = 0;
  if (Array.isArray(value)) {
    for (const item of value) count += countKeys(item);
    return count;
  }
  for (const key in value) count += 1 + countKeys((value as Record<string, unknown>)[key]);
  return count;
}
