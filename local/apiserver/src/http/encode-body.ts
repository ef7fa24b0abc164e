import { stringifyJson } from '@tektite/meta';
import { formatYaml } from '@tektite/schema/yaml';
import { encodeJson } from '../codec/encoded-json.ts';
import { encodeProtobuf, encodeProtobufList, encodeStoredList, type Kinded } from '../codec/encode-protobuf.ts';
import type { ApiResponse, Media, StoredList } from '../request/api-response.ts';
import { objectOf, withoutKind } from '../request/stored-answer.ts';
import type { StoredEntry } from '../storage/storage.ts';

/** Pieces of a long answer have about this many characters. */
const pieceLength = 64 * 1024;

/** An answer, piece by piece. What the storage has as JSON is neither decoded nor encoded. */
export function encodeAnswer(answer: ApiResponse & { readonly media: Media }, url: string): Generator<string | Buffer> {
  const { media } = answer;
  if (media === 'protobuf' && answer.type === 'stored') return encodeBody(answer.entry.peek(), media, url);
  if (media === 'protobuf' && answer.type === 'storedList') {
    const { entries, ...head } = answer.list;
    return encodeStoredList(head, entries);
  }
  if (media === 'json' && !pretty.test(url)) {
    if (answer.type === 'stored') return once(`${answer.entry.json}\n`);
    if (answer.type === 'storedList') return encodeStored(answer.list);
  }
  return encodeBody(objectOf(answer), media, url);
}

function* once(text: string): Generator<string> {
  yield text;
}

/** Indented JSON is asked for. */
const pretty = /[?&]pretty(?:=(?!0|false)|&|$)/;

/** A list of the storage, as text of its entries. Its items do not repeat their kind. */
function* encodeStored({ kind, apiVersion, metadata, entries }: StoredList): Generator<string> {
  const start = `{"kind":${JSON.stringify(kind.replace(/List$/, ''))},"apiVersion":${JSON.stringify(apiVersion)},`;
  let piece = `${stringifyJson({ kind, apiVersion, metadata }).slice(0, -1)},"items":[`;
  let separator = '';
  for (const entry of entries) {
    piece += separator + itemText(entry, start);
    separator = ',';
    if (piece.length < pieceLength) continue;
    yield piece;
    piece = '';
  }
  yield `${piece}]}\n`;
}

function itemText(entry: StoredEntry, start: string): string {
  const { json } = entry;
  return json.startsWith(start) ? `{${json.slice(start.length)}` : stringifyJson(withoutKind(entry.peek()));
}

/**
 * An object, piece by piece: compact JSON, indented JSON when asked with `?pretty`, YAML, or protobuf. Lists and tables in JSON are
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
  if (pretty.test(url)) return yield `${stringifyJson(object, 2)}\n`;
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
      piece += before + stringifyJson(item);
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
  return typeof value === 'object' && value !== null ? encodeJson(value) : stringifyJson(value);
}
