import type { EnumDescriptor, FieldDescriptor, Fields, MessageDescriptor } from './message.ts';
import { decodeStruct, encodeStruct } from './struct.ts';
import { Reader, Writer } from './varint.ts';

/** Bytes that are no message of that type. */
export class DecodeError extends Error {}

const maxDepth = 32;

/** The binary form of a message. */
export function encode<T>(descriptor: MessageDescriptor<T>, value: T): Buffer {
  const writer = new Writer();
  writeMessage(writer, descriptor, value as Fields);
  return writer.finish();
}

/** Reads the binary form; unknown fields are skipped, as upstream does. */
export function decode<T>(descriptor: MessageDescriptor<T>, bytes: Uint8Array): T {
  return readMessage(new Reader(bytes), descriptor, 0) as T;
}

function writeMessage(writer: Writer, { fields }: MessageDescriptor, value: Fields): void {
  for (const field of fields) {
    const given = value[field.name];
    if (given === undefined) continue;
    for (const each of field.repeated ? (given as readonly unknown[]) : [given]) writeField(writer, field, each);
  }
}

function writeField(writer: Writer, { number, type, repeated }: FieldDescriptor, value: unknown): void {
  const isDefault = value === '' || value === 0 || (value instanceof Uint8Array && value.length === 0);
  if (isDefault && !repeated && type !== 'timestamp') return;
  if (typeof type === 'function') {
    writer.nested(number, (inner) => writeMessage(inner, type(), value as Fields));
    return;
  }
  switch (type) {
    case 'string':
      return writer.bytes(number, Buffer.from(value as string));
    case 'bytes':
      return writer.bytes(number, value as Uint8Array);
    case 'timestamp':
      return writer.nested(number, (inner) => writeTimestamp(inner, value as number));
    case 'textMap':
      for (const [key, text] of Object.entries(value as Record<string, string>))
        writer.nested(number, (inner) => {
          inner.bytes(1, Buffer.from(key));
          inner.bytes(2, Buffer.from(text));
        });
      return;
    case 'struct':
      return writer.nested(number, (inner) => encodeStruct(inner, value as Fields));
    default:
      return writer.number(number, value as number);
  }
}

function writeTimestamp(writer: Writer, micros: number): void {
  const seconds = Math.floor(micros / 1e6);
  const nanos = Math.round(micros - seconds * 1e6) * 1000;
  if (seconds !== 0) writer.number(1, seconds);
  if (nanos !== 0) writer.number(2, nanos);
}

function readMessage(reader: Reader, descriptor: MessageDescriptor, depth: number): Fields {
  if (depth > maxDepth) throw new DecodeError('proto: cannot parse invalid wire-format data');
  const value: Record<string, unknown> = {};
  while (!reader.isDone) {
    const { number, wireType } = reader.tag();
    const field = descriptor.byNumber.get(number);
    if (field === undefined || !fits(field, wireType)) {
      reader.skip(wireType);
      continue;
    }
    const each = readField(reader, field, value[field.name], depth);
    if (field.repeated) (value[field.name] = (value[field.name] as unknown[] | undefined) ?? []).push(each);
    else value[field.name] = each;
  }
  return value;
}

const isEnum = (type: FieldDescriptor['type']): type is EnumDescriptor => typeof type === 'object';

function fits({ type }: FieldDescriptor, wireType: number): boolean {
  return wireType === (type === 'int32' || type === 'int64' || isEnum(type) ? 0 : 2);
}

function readField(reader: Reader, { type, repeated }: FieldDescriptor, known: unknown, depth: number): unknown {
  if (type === 'int32' || isEnum(type)) return reader.varint32();
  if (type === 'int64') return reader.varint();
  const bytes = reader.bytes();
  if (typeof type === 'function') {
    const read = readMessage(new Reader(bytes), type(), depth + 1);
    // A message that comes in two parts is merged.
    return repeated || known === undefined ? read : { ...(known as Fields), ...read };
  }
  switch (type) {
    case 'string':
      return textOf(bytes);
    case 'bytes':
      return Buffer.from(bytes);
    case 'timestamp':
      return readTimestamp(new Reader(bytes));
    case 'textMap': {
      const { key, text } = readEntry(new Reader(bytes));
      return Object.assign(Object.create(null) as object, known, { [key]: text });
    }
    case 'struct':
      return decodeStruct(new Reader(bytes), depth);
  }
}

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

function textOf(bytes: Uint8Array): string {
  try {
    return utf8.decode(bytes);
  } catch {
    throw new DecodeError('grpc: error unmarshalling request: string field contains invalid UTF-8');
  }
}

function readTimestamp(reader: Reader): number {
  let [seconds, nanos] = [0, 0];
  while (!reader.isDone) {
    const { number, wireType } = reader.tag();
    if (wireType === 0 && number === 1) seconds = reader.varint();
    else if (wireType === 0 && number === 2) nanos = reader.varint32();
    else reader.skip(wireType);
  }
  return seconds * 1e6 + Math.floor(nanos / 1000);
}

function readEntry(reader: Reader): { readonly key: string; readonly text: string } {
  let [key, text] = ['', ''];
  while (!reader.isDone) {
    const { number, wireType } = reader.tag();
    if (wireType === 2 && number === 1) key = textOf(reader.bytes());
    else if (wireType === 2 && number === 2) text = textOf(reader.bytes());
    else reader.skip(wireType);
  }
  return { key, text };
}
