import { findMessage, type ValueWriter } from './protobuf-messages.ts';
import { RecentEncodings } from './recent-encodings.ts';
import { ReverseWriter } from './reverse-writer.ts';

/** Four bytes that every message begins with. */
const prefix = Buffer.from([0x6b, 0x38, 0x73, 0x00]);

const writer = new ReverseWriter();

/** An object that names its kind. */
export interface Kinded {
  readonly apiVersion: string;
  readonly kind: string;
}

/**
 * An object in protobuf, as Go clients ask for it first: byte for byte what Go's encoder makes of the same JSON. Go writes fields that
 * are no pointers even when they are empty, in the order of their numbers.
 */
export function encodeProtobuf(object: Kinded): Buffer {
  const { apiVersion, kind } = object;
  const message = findMessage(apiVersion, kind);
  if (!message) throw new Error(`${apiVersion} ${kind} has no form in protobuf`);
  writeEnvelope(apiVersion, kind, () => message(writer, object));
  return writer.take();
}

/** Messages of the items of lists: the same objects are listed again and again. */
const recentItems = new RecentEncodings<Buffer>(50_000, 32 * 1024 * 1024);

/** An item of the storage: the same at each list, whether its object is in memory or not. */
interface StoredItem {
  peek(): object;
}

/**
 * A long list, in pieces. Its length comes first, so all items are encoded before the first byte, with an empty piece after each
 * part of them: other requests get their turns. Of a very long list the first part is held, and the rest encoded again.
 */
export function encodeProtobufList(list: Kinded & { readonly items: readonly unknown[] }): Generator<Buffer> {
  const { items, ...head } = list;
  return encodePieces(head, items as readonly object[], (item) => item, Object.isFrozen);
}

/** The same for a list of the storage. */
export function encodeStoredList(head: Kinded, entries: readonly StoredItem[]): Generator<Buffer> {
  return encodePieces(
    head,
    entries,
    (entry) => entry.peek(),
    () => true,
  );
}

function* encodePieces<T extends object>(
  head: Kinded,
  items: readonly T[],
  objectOf: (item: T) => object,
  staysSame: (item: T) => boolean,
): Generator<Buffer> {
  const { apiVersion, kind } = head;
  const write = findMessage(apiVersion, kind.replace(/List$/, ''));
  const message = findMessage(apiVersion, kind);
  if (!write || !message) throw new Error(`${apiVersion} ${kind} has no form in protobuf`);
  const encode = (item: T): Buffer => {
    const known = recentItems.get(item);
    if (known) return known;
    const encoded = encodeItem(write, objectOf(item));
    if (staysSame(item)) recentItems.set(item, encoded);
    return encoded;
  };
  const pieces: (Buffer | readonly T[])[] = [];
  let encodedBytes = 0;
  let part: Buffer[] = [];
  let partBytes = 0;
  const endPart = (end: number) => {
    const isHeld = encodedBytes < maxHeldBytes;
    pieces.push(isHeld ? Buffer.concat(part, partBytes) : items.slice(end - part.length, end));
    encodedBytes += partBytes;
    part = [];
    partBytes = 0;
  };
  for (const [index, item] of items.entries()) {
    const encoded = encode(item);
    part.push(encoded);
    partBytes += encoded.length;
    if (partBytes < pieceBytes) continue;
    endPart(index + 1);
    yield empty;
  }
  endPart(items.length);
  // Everything but the items, which come last.
  message(writer, { ...head, items: [] });
  writer.varint(writer.length + encodedBytes);
  writer.byte(0x12);
  writeKind(apiVersion, kind);
  yield writer.take();
  for (const piece of pieces) yield Buffer.isBuffer(piece) ? piece : Buffer.concat(piece.map(encode));
  yield trailer;
}

/** An item with its tag and its length. */
function encodeItem(write: ValueWriter, object: object): Buffer {
  write(writer, object);
  writer.varint(writer.length);
  writer.byte(0x12);
  return writer.take();
}

const empty = Buffer.alloc(0);
const pieceBytes = 64 * 1024;
const maxHeldBytes = 16 * 1024 * 1024;

/** An event of a watch: a message without an envelope, after its length in four bytes. The object in it has an envelope. */
export function encodeProtobufEvent(type: string, object: Kinded): Buffer {
  const raw = encodeProtobuf(object);
  writer.chunk(raw);
  writer.byte(0x0a);
  // A RawExtension around the bytes.
  writer.varint(writer.length);
  writer.byte(0x12);
  writer.text(type);
  writer.byte(0x0a);
  const { length } = writer;
  writer.raw(Buffer.from([length >>> 24, (length >>> 16) & 0xff, (length >>> 8) & 0xff, length & 0xff]));
  return writer.take();
}

/** `runtime.Unknown`: what the object is, its bytes, and two texts that are always empty. */
function writeEnvelope(apiVersion: string, kind: string, write: () => void): void {
  writer.raw(trailer);
  const end = writer.length;
  write();
  writer.varint(writer.length - end);
  writer.byte(0x12);
  writeKind(apiVersion, kind);
}

function writeKind(apiVersion: string, kind: string): void {
  const end = writer.length;
  writer.text(kind);
  writer.byte(0x12);
  writer.text(apiVersion);
  writer.byte(0x0a);
  writer.varint(writer.length - end);
  writer.byte(0x0a);
  writer.raw(prefix);
}

/** Empty content encoding and content type. */
const trailer = Buffer.from([0x1a, 0x00, 0x22, 0x00]);
