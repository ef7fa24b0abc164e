import type { Scalar } from '@tektite/go';
import { parseTime, stringifyJson } from '@tektite/meta';
import type { ReverseWriter } from './reverse-writer.ts';

type Write = (writer: ReverseWriter, value: unknown) => void;

/** How a value that is no struct is written. */
export interface ScalarWriter {
  readonly wire: 0 | 1 | 2;
  /** Writes the value, with its length where it has one. `undefined` and `null` are Go's zero value. */
  readonly write: Write;
  /** A slice of bytes in Go, which may be absent. */
  readonly isOptional?: boolean;
}

/** `structs` gives the writer of a struct, for types that hold one. */
export function scalarWriter(scalar: Scalar, structs: (key: string) => Write): ScalarWriter {
  switch (scalar) {
    case 'bool':
      return { wire: 0, write: (writer, value) => writer.byte(value === true ? 1 : 0) };
    case 'int32':
    case 'int64':
      return { wire: 0, write: writeInteger };
    case 'float64':
      return { wire: 1, write: (writer, value) => writer.double(Number(value ?? 0)) };
    case 'string':
      return { wire: 2, write: (writer, value) => writer.text(typeof value === 'string' ? value : '') };
    case 'bytes':
      return {
        wire: 2,
        isOptional: true,
        write: (writer, value) => writer.chunk(Buffer.from(value as string, 'base64')),
      };
    case 'Time':
      return { wire: 2, write: (writer, value) => writeTime(writer, value, 1_000_000_000) };
    case 'MicroTime':
      return { wire: 2, write: (writer, value) => writeTime(writer, value, 1000) };
    case 'Quantity':
      return { wire: 2, write: message((writer, value) => field(writer, 0x0a, String(value ?? '0'))) };
    case 'IntOrString':
      return { wire: 2, write: message(writeIntOrString) };
    case 'FieldsV1':
    case 'RawExtension':
    case 'JSON':
      return { wire: 2, write: message(writeRaw) };
    default:
      return { wire: 2, write: message(unionWriter(scalar, structs)) };
  }
}

function writeInteger(writer: ReverseWriter, value: unknown): void {
  if (typeof value === 'bigint') writer.bigVarint(value);
  else writer.varint(Number(value ?? 0));
}

/** A message around what `write` writes. */
function message(write: Write): Write {
  return (writer, value) => {
    const end = writer.length;
    write(writer, value);
    writer.varint(writer.length - end);
  };
}

function field(writer: ReverseWriter, tag: number, text: string): void {
  writer.text(text);
  writer.byte(tag);
}

/** Go's zero time is an empty message. Nanoseconds are cut to what the type keeps, and written even when there are none. */
function writeTime(writer: ReverseWriter, value: unknown, unit: number): void {
  if (typeof value !== 'string' || value === '') {
    writer.byte(0);
    return;
  }
  const { seconds, nanoseconds } = instantOf(value);
  const end = writer.length;
  writer.varint(nanoseconds - (nanoseconds % unit));
  writer.byte(0x10);
  writer.varint(seconds);
  writer.byte(0x08);
  writer.varint(writer.length - end);
}

/** Objects have many times, and most of them are equal to the one before. */
let latest = { text: '', instant: { seconds: 0, nanoseconds: 0 } };

function instantOf(text: string): { readonly seconds: number; readonly nanoseconds: number } {
  if (latest.text !== text) latest = { text, instant: parseTime(text) };
  return latest.instant;
}

function writeIntOrString(writer: ReverseWriter, value: unknown): void {
  const isText = typeof value === 'string';
  field(writer, 0x1a, isText ? value : '');
  writeInteger(writer, isText ? 0 : value);
  writer.byte(0x10);
  writer.byte(isText ? 1 : 0);
  writer.byte(0x08);
}

/** JSON inside protobuf. */
function writeRaw(writer: ReverseWriter, value: unknown): void {
  if (value === undefined || value === null) return;
  field(writer, 0x0a, stringifyJson(value));
}

/** Types of JSON schemas that are one of several things. */
function unionWriter(union: string, structs: (key: string) => Write): Write {
  const schema = message((writer, value) => structs('apiextensions/v1.JSONSchemaProps')(writer, value));
  const tagged = (writer: ReverseWriter, tag: number, value: unknown) => {
    schema(writer, value);
    writer.byte(tag);
  };
  if (union === 'JSONSchemaPropsOrBool')
    return (writer, value) => {
      const isSchema = typeof value === 'object' && value !== null;
      if (isSchema) tagged(writer, 0x12, value);
      writer.byte(isSchema || value === true ? 1 : 0);
      writer.byte(0x08);
    };
  return (writer, value) => {
    if (Array.isArray(value)) {
      for (const each of value.toReversed())
        if (union === 'JSONSchemaPropsOrStringArray') field(writer, 0x12, String(each));
        else tagged(writer, 0x12, each);
    } else if (value !== undefined && value !== null) tagged(writer, 0x0a, value);
  };
}
