import { formatYaml } from '@tektite/schema/yaml';
import { encodeJson } from '../codec/encoded-json.ts';
import { encodeProtobuf, encodeProtobufList, type Kinded } from '../codec/encode-protobuf.ts';
import type { Media } from '../request/api-response.ts';

/** Pieces of a long answer have about this many characters. */
const pieceLength = 64 * 1024;

/**
 * An answer, piece by piece: compact JSON, indented JSON when asked with `?pretty`, YAML, or protobuf. Lists and tables in JSON are
 * encoded while they are read, so a slow client holds references to objects and not their text. A list in protobuf begins with its
 * length, so it is encoded first, in pieces without bytes.
 */
export function* encodeBody(object: unknown, media: Media, url: string): Generator<string | Buffer> {
  if (media === 'protobuf') {
    const { items } = object as { readonly items?: unknown };
    if (!Array.isArray(items) || items.length <= minItems) return yield encodeProtobuf(object as Kinded);
    return yield* encodeProtobufList(object as Kinded & { readonly items: readonly unknown[] });
  }
  if (media === 'yaml') return yield formatYaml(object);
  if (/[?&]pretty(?:=(?!0|false)|&|$)/.test(url)) return yield `${JSON.stringify(object, null, 2)}\n`;
  const items = longArray(object);
  if (!items) return yield `${encode(object)}\n`;
  yield* encodeLong(object as Readonly<Record<string, unknown>>, items);
}

/** The objects of a list, or the rows of a table, when there are many. */
function longArray(object: unknown): 'items' | 'rows' | undefined {
  const { items, rows } = object as { readonly items?: unknown; readonly rows?: unknown };
  if (Array.isArray(items)) return items.length > minItems ? 'items' : undefined;
  return Array.isArray(rows) && rows.length > minItems ? 'rows' : undefined;
}

/** Shorter lists are small enough to be encoded at once, and are the rule. */
const minItems = 20;

/** The same text as JSON.stringify, fields in their order. */
function* encodeLong(object: Readonly<Record<string, unknown>>, items: string): Generator<string> {
  let piece = '{';
  let separator = '';
  for (const [key, value] of Object.entries(object)) {
    if (value === undefined) continue;
    piece += `${separator}${JSON.stringify(key)}:`;
    separator = ',';
    if (key !== items) {
      piece += encode(value);
      continue;
    }
    let before = '[';
    for (const item of value as readonly unknown[]) {
      piece += before + JSON.stringify(item);
      before = ',';
      if (piece.length < pieceLength) continue;
      yield piece;
      piece = '';
    }
    piece += ']';
  }
  yield `${piece}}\n`;
}

function encode(value: unknown): string {
  return typeof value === 'object' && value !== null ? encodeJson(value) : JSON.stringify(value);
}
