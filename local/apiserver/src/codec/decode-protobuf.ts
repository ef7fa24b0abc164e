import { DecodeError, type GoType, maxDepth } from '@tektite/go';
import { parseApiVersion, setOwn } from '@tektite/meta';
import { definitionOf, type FieldDefinition, findBuiltinDefinition } from '@tektite/schema/kubernetes';
import { ProtobufReader, type WireType } from './protobuf-reader.ts';
import { decodeText, readScalar } from './protobuf-scalars.ts';

/** Kinds of every version of every group. */
const kindsOfAllGroups = new Map([['DeleteOptions', 'meta/v1.DeleteOptions']]);

/** Four bytes that every message begins with. */
const prefix = [0x6b, 0x38, 0x73, 0x00];

/**
 * Decodes a built-in object in protobuf, which kubectl and other Go clients send by default, into the JSON it stands for. Throws a
 * {@link DecodeError}.
 */
export function decodeProtobuf(bytes: Uint8Array): Record<string, unknown> {
  if (bytes.length === 0) throw new DecodeError('empty data');
  if (prefix.some((byte, index) => bytes[index] !== byte)) {
    throw new DecodeError(
      `provided data does not appear to be a protobuf message, expected prefix [${prefix.join(' ')}]`,
    );
  }
  const { apiVersion, kind, raw } = readEnvelope(bytes.subarray(prefix.length));
  const { group, version } = parseApiVersion(apiVersion) ?? { group: '', version: '' };
  const key = findBuiltinDefinition(group, version, kind)?.key ?? kindsOfAllGroups.get(kind);
  if (key === undefined) throw new DecodeError(`no kind "${kind}" is registered for version "${apiVersion}"`);
  return { kind, apiVersion, ...readMessage(key, raw, 0) };
}

/** The message around every object: what it is, and its own bytes. */
function readEnvelope(bytes: Uint8Array): { apiVersion: string; kind: string; raw: Uint8Array } {
  const result = { apiVersion: '', kind: '', raw: new Uint8Array() };
  const reader = new ProtobufReader(bytes);
  while (!reader.isAtEnd) {
    const { number, wire } = reader.tag();
    if (wire !== 2) reader.skip(wire);
    else if (number === 1) Object.assign(result, readTypeMeta(reader.chunk()));
    else if (number === 2) result.raw = new Uint8Array(reader.chunk());
    else reader.skip(wire);
  }
  return result;
}

function readTypeMeta(bytes: Uint8Array): { apiVersion?: string; kind?: string } {
  const result: { apiVersion?: string; kind?: string } = {};
  const reader = new ProtobufReader(bytes);
  while (!reader.isAtEnd) {
    const { number, wire } = reader.tag();
    if (wire !== 2) reader.skip(wire);
    else if (number === 1) result.apiVersion = decodeText(reader.chunk());
    else if (number === 2) result.kind = decodeText(reader.chunk());
    else reader.skip(wire);
  }
  return result;
}

/** The plan of a message: fields by number, or the fields of an embedded struct. */
interface MessagePlan {
  readonly fields: Map<number, FieldDefinition>;
  readonly embedded: Map<number, MessagePlan>;
}

const plans = new Map<string, MessagePlan>();

function planOf(key: string): MessagePlan {
  let plan = plans.get(key);
  if (!plan) {
    plan = emptyPlan();
    for (const field of definitionOf(key).fields) addField(plan, field, field.protobuf);
    plans.set(key, plan);
  }
  return plan;
}

function addField(plan: MessagePlan, field: FieldDefinition, [number, ...rest]: readonly number[]): void {
  if (number === undefined) return;
  if (rest.length === 0) {
    plan.fields.set(number, field);
    return;
  }
  let inner = plan.embedded.get(number);
  if (!inner) plan.embedded.set(number, (inner = emptyPlan()));
  addField(inner, field, rest);
}

function emptyPlan(): MessagePlan {
  return { fields: new Map(), embedded: new Map() };
}

function readMessage(key: string, bytes: Uint8Array, depth: number): Record<string, unknown> {
  if (depth > maxDepth) throw new DecodeError('exceeded max depth');
  const result: Record<string, unknown> = {};
  fill(result, planOf(key), bytes, depth);
  return result;
}

function fill(result: Record<string, unknown>, plan: MessagePlan, bytes: Uint8Array, depth: number): void {
  const reader = new ProtobufReader(bytes);
  while (!reader.isAtEnd) {
    const { number, wire } = reader.tag();
    const field = plan.fields.get(number);
    const inner = plan.embedded.get(number);
    if (field) result[field.name] = readValue(field.type, wire, reader, result[field.name], depth);
    else if (inner && wire === 2) fill(result, inner, reader.chunk(), depth);
    else reader.skip(wire);
  }
}

/** Lists and maps come one element at a time; `before` is what came already. */
function readValue(type: GoType, wire: WireType, reader: ProtobufReader, before: unknown, depth: number): unknown {
  switch (type.kind) {
    case 'pointer':
      return readValue(type.to, wire, reader, before, depth);
    case 'struct':
      if (wire !== 2) throw new DecodeError(`proto: wrong wireType = ${wire}`);
      return readMessage(type.definition, reader.chunk(), depth + 1);
    case 'scalar':
      return readScalar(type.scalar, wire, reader, (bytes) =>
        readMessage('apiextensions/v1.JSONSchemaProps', bytes, depth + 1),
      );
    case 'list':
      return readElement(type.element, wire, reader, (before as unknown[] | undefined) ?? [], depth);
    case 'map': {
      const map = (before as Record<string, unknown> | undefined) ?? {};
      if (wire !== 2) throw new DecodeError(`proto: wrong wireType = ${wire}`);
      readEntry(type.value, reader.chunk(), map, depth);
      return map;
    }
  }
}

function readElement(type: GoType, wire: WireType, reader: ProtobufReader, list: unknown[], depth: number): unknown[] {
  const isNumber =
    type.kind === 'scalar' && (type.scalar === 'int32' || type.scalar === 'int64' || type.scalar === 'bool');
  if (isNumber && wire === 2) {
    const packed = new ProtobufReader(reader.chunk());
    while (!packed.isAtEnd) list.push(readValue(type, 0, packed, undefined, depth));
  } else list.push(readValue(type, wire, reader, undefined, depth));
  return list;
}

function readEntry(type: GoType, bytes: Uint8Array, map: Record<string, unknown>, depth: number): void {
  let key = '';
  let value: unknown = null;
  const reader = new ProtobufReader(bytes);
  while (!reader.isAtEnd) {
    const { number, wire } = reader.tag();
    if (number === 1 && wire === 2) key = decodeText(reader.chunk());
    else if (number === 2) {
      // A list cannot be the value of a map in protobuf, so it is a message that holds one.
      value =
        type.kind === 'list'
          ? readItems(type.element, reader.chunk(), depth)
          : readValue(type, wire, reader, undefined, depth);
    } else reader.skip(wire);
  }
  setOwn(map, key, value);
}

function readItems(type: GoType, bytes: Uint8Array, depth: number): unknown[] {
  const items: unknown[] = [];
  const reader = new ProtobufReader(bytes);
  while (!reader.isAtEnd) {
    const { number, wire } = reader.tag();
    if (number === 1) readElement(type, wire, reader, items, depth);
    else reader.skip(wire);
  }
  return items;
}
