import { DecodeError, type Scalar } from '@tektite/go';
import { formatMicroTime, formatTime, parseJson } from '@tektite/meta';
import { ProtobufReader, type WireType } from './protobuf-reader.ts';

const utf8 = new TextDecoder('utf-8', { ignoreBOM: true });

export function decodeText(bytes: Uint8Array): string {
  return utf8.decode(bytes);
}

/** Reads a value that is no struct, as JSON. Types that decode themselves are small messages in protobuf. */
export function readScalar(scalar: Scalar, wire: WireType, reader: ProtobufReader, schema: SchemaReader): unknown {
  switch (scalar) {
    case 'bool':
      return expect(wire, 0) && reader.varint() !== 0n;
    case 'int32':
    case 'int64':
      return expect(wire, 0) && reader.integer();
    case 'float64':
      return expect(wire, 1) && reader.double();
    case 'string':
      return expect(wire, 2) && decodeText(reader.chunk());
    case 'bytes':
      return expect(wire, 2) && Buffer.from(reader.chunk()).toString('base64');
    case 'Time':
      return expect(wire, 2) && readTime(reader.chunk(), formatTime);
    case 'MicroTime':
      return expect(wire, 2) && readTime(reader.chunk(), formatMicroTime);
    case 'Quantity':
      return expect(wire, 2) && (readFields(reader.chunk()).get(1) ?? '0');
    case 'IntOrString':
      return expect(wire, 2) && readIntOrString(reader.chunk());
    case 'FieldsV1':
    case 'RawExtension':
    case 'JSON':
      return expect(wire, 2) && readRaw(reader.chunk());
    default:
      return expect(wire, 2) && readSchemaUnion(scalar, reader.chunk(), schema);
  }
}

/** Reads a JSONSchemaProps message. */
export type SchemaReader = (bytes: Uint8Array) => unknown;

function expect(wire: WireType, wanted: WireType): true {
  if (wire !== wanted) throw new DecodeError(`proto: wrong wireType = ${wire}`);
  return true;
}

/** The fields of a small message: numbers for varints, text for everything else. */
function readFields(bytes: Uint8Array): Map<number, string | number | bigint> {
  const fields = new Map<number, string | number | bigint>();
  const reader = new ProtobufReader(bytes);
  while (!reader.isAtEnd) {
    const { number, wire } = reader.tag();
    if (wire === 0) fields.set(number, reader.integer());
    else if (wire === 2) fields.set(number, decodeText(reader.chunk()));
    else reader.skip(wire);
  }
  return fields;
}

/** An empty message is Go's zero time. */
function readTime(bytes: Uint8Array, format: typeof formatTime): string | null {
  if (bytes.length === 0) return null;
  const fields = readFields(bytes);
  const seconds = Number(fields.get(1) ?? 0);
  if (Math.abs(seconds) > 8.64e12) throw new DecodeError('time is out of range');
  return format({ seconds, nanoseconds: Number(fields.get(2) ?? 0) });
}

function readIntOrString(bytes: Uint8Array): string | number {
  const fields = readFields(bytes);
  return fields.get(1) === 1 ? String(fields.get(3) ?? '') : Number(fields.get(2) ?? 0);
}

/** JSON inside protobuf. */
function readRaw(bytes: Uint8Array): unknown {
  const text = readFields(bytes).get(1);
  if (text === undefined || text === '') return null;
  try {
    return parseJson(String(text)) as unknown;
  } catch (cause) {
    throw new DecodeError('raw value is not JSON', { cause });
  }
}

function readSchemaUnion(union: string, bytes: Uint8Array, schema: SchemaReader): unknown {
  const reader = new ProtobufReader(bytes);
  let single: unknown;
  let allows = false;
  const list: unknown[] = [];
  while (!reader.isAtEnd) {
    const { number, wire } = reader.tag();
    if (union === 'JSONSchemaPropsOrBool' && number === 1 && wire === 0) allows = reader.varint() !== 0n;
    else if (wire !== 2) reader.skip(wire);
    else if (number === (union === 'JSONSchemaPropsOrBool' ? 2 : 1)) single = schema(reader.chunk());
    else list.push(union === 'JSONSchemaPropsOrStringArray' ? decodeText(reader.chunk()) : schema(reader.chunk()));
  }
  if (union === 'JSONSchemaPropsOrBool') return single ?? allows;
  return list.length > 0 ? list : (single ?? null);
}
