import { Reader, type Writer } from './varint.ts';

/** `google.protobuf.Struct`: JSON in protobuf's own form. */

type Values = Readonly<Record<string, unknown>>;

export function encodeStruct(writer: Writer, values: Values): void {
  for (const [key, value] of Object.entries(values))
    writer.nested(1, (entry) => {
      entry.bytes(1, Buffer.from(key));
      entry.nested(2, (inner) => encodeValue(inner, value));
    });
}

function encodeValue(writer: Writer, value: unknown): void {
  if (value === null || value === undefined) writer.number(1, 0);
  else if (typeof value === 'number') writer.double(2, value);
  else if (typeof value === 'string') writer.bytes(3, Buffer.from(value));
  else if (typeof value === 'boolean') writer.number(4, value ? 1 : 0);
  else if (Array.isArray(value))
    writer.nested(6, (list) => {
      for (const each of value) list.nested(1, (inner) => encodeValue(inner, each));
    });
  else writer.nested(5, (inner) => encodeStruct(inner, value as Values));
}

export function decodeStruct(reader: Reader, depth: number): Values {
  if (depth > 32) throw new Error('proto: cannot parse invalid wire-format data');
  const values: Record<string, unknown> = {};
  while (!reader.isDone) {
    const { wireType } = reader.tag();
    if (wireType !== 2) {
      reader.skip(wireType);
      continue;
    }
    const entry = new Reader(reader.bytes());
    let key = '';
    let value: unknown = null;
    while (!entry.isDone) {
      const part = entry.tag();
      if (part.wireType === 2 && part.number === 1) key = Buffer.from(entry.bytes()).toString();
      else if (part.wireType === 2 && part.number === 2) value = decodeValue(new Reader(entry.bytes()), depth + 1);
      else entry.skip(part.wireType);
    }
    Object.defineProperty(values, key, { value, enumerable: true, writable: true, configurable: true });
  }
  return values;
}

function decodeValue(reader: Reader, depth: number): unknown {
  let value: unknown = null;
  while (!reader.isDone) {
    const { number, wireType } = reader.tag();
    if (number === 2 && wireType === 1) value = reader.double();
    else if (number === 3 && wireType === 2) value = Buffer.from(reader.bytes()).toString();
    else if (number === 4 && wireType === 0) value = reader.varint() !== 0;
    else if (number === 5 && wireType === 2) value = decodeStruct(new Reader(reader.bytes()), depth);
    else reader.skip(wireType);
  }
  return value;
}
