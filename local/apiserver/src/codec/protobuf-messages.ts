import { compareGoStrings, type GoType } from '@tektite/go';
import { parseApiVersion } from '@tektite/meta';
import { type Definition, definitionOf, findBuiltinDefinition } from '@tektite/schema/kubernetes';
import { scalarWriter } from './protobuf-scalar-writers.ts';
import type { ReverseWriter } from './reverse-writer.ts';

/** Writes a value without its tag; `undefined` is Go's zero value. */
export type ValueWriter = (writer: ReverseWriter, value: unknown) => void;

/** Writes a field of an object with its tag, or nothing. */
type FieldWriter = (writer: ReverseWriter, object: Readonly<Record<string, unknown>>) => void;

const messages = new Map<string, ValueWriter | undefined>();

/** The writer of a kind's message; undefined for kinds that have no form in protobuf. */
export function findMessage(apiVersion: string, kind: string): ValueWriter | undefined {
  const name = `${apiVersion}/${kind}`;
  if (!messages.has(name)) messages.set(name, makeMessage(apiVersion, kind));
  return messages.get(name);
}

function makeMessage(apiVersion: string, kind: string): ValueWriter | undefined {
  const { group, version } = parseApiVersion(apiVersion) ?? { group: '', version: '' };
  if (group === 'meta.k8s.io') return metadataMessages()[kind];
  const definition = findBuiltinDefinition(group, version, kind);
  return definition && structWriter(definition.key);
}

/** Objects of which only the metadata was asked for have no definition: they belong to no group. */
function metadataMessages(): Readonly<Record<string, ValueWriter>> {
  const objectMeta = nested(1, structWriter('meta/v1.ObjectMeta'));
  const one: ValueWriter = (target, value) => objectMeta(target, (value as { readonly metadata?: unknown }).metadata);
  const items = nested(2, one);
  const listMeta = nested(1, structWriter('meta/v1.ListMeta'));
  return {
    PartialObjectMetadata: one,
    PartialObjectMetadataList: (target, value) => {
      const list = (value ?? {}) as { readonly metadata?: unknown; readonly items?: readonly unknown[] };
      const { items: all = [] } = list;
      for (let i = all.length - 1; i >= 0; i--) items(target, all[i]);
      listMeta(target, list.metadata);
    },
  };
}

const structs = new Map<string, ValueWriter>();

/** The writer of a struct. Made on first use, since types may contain themselves. */
function structWriter(key: string): ValueWriter {
  const known = structs.get(key);
  if (known) return known;
  let write: ValueWriter | undefined;
  const lazy: ValueWriter = (target, value) => {
    write ??= messageWriter(definitionOf(key));
    write(target, value);
  };
  structs.set(key, lazy);
  return lazy;
}

/** A field, and the numbers that lead to it: those of embedded structs first. */
interface NumberedField {
  readonly name: string;
  readonly type: GoType;
  readonly numbers: readonly number[];
}

function messageWriter({ fields }: Definition): ValueWriter {
  const writers = fieldWriters(fields.map(({ name, type, protobuf }) => ({ name, type, numbers: protobuf })));
  return (target, value) => {
    const object = (value ?? nothing) as Readonly<Record<string, unknown>>;
    for (const write of writers) write(target, object);
  };
}

const nothing: Readonly<Record<string, unknown>> = Object.freeze({});

/** From the last number to the first, as they are written. */
function fieldWriters(fields: readonly NumberedField[]): readonly FieldWriter[] {
  const byNumber = new Map<number, NumberedField[]>();
  for (const field of fields) {
    const [number, ...rest] = field.numbers;
    if (number === undefined) continue;
    byNumber.set(number, [...(byNumber.get(number) ?? []), { ...field, numbers: rest }]);
  }
  return [...byNumber].sort(([a], [b]) => b - a).map(([number, group]) => fieldWriter(number, group));
}

function fieldWriter(number: number, fields: readonly NumberedField[]): FieldWriter {
  const [{ name, type, numbers }] = fields as [NumberedField];
  if (numbers.length === 0) {
    const write = taggedWriter(number, type);
    return (target, object) => write(target, object[name]);
  }
  // An embedded struct: a message whose fields are those of the object around it.
  const inner = fieldWriters(fields);
  return nested(number, (target, object) => {
    for (const write of inner) write(target, object as Readonly<Record<string, unknown>>);
  });
}

/** A value with its tag; lists and maps have one for each element. */
function taggedWriter(number: number, type: GoType): ValueWriter {
  switch (type.kind) {
    case 'pointer': {
      const write = taggedWriter(number, type.to);
      return (target, value) => {
        if (value !== undefined && value !== null) write(target, value);
      };
    }
    case 'struct':
      return nested(number, structWriter(type.definition));
    case 'list': {
      const write = taggedWriter(number, type.element);
      return (target, value) => {
        const list = (value ?? []) as readonly unknown[];
        for (let i = list.length - 1; i >= 0; i--) write(target, list[i]);
      };
    }
    case 'map':
      return mapWriter(number, type.value);
    case 'scalar': {
      const { wire, write, isOptional } = scalarWriter(type.scalar, structWriter);
      return (target, value) => {
        // Bytes that are not there differ from empty ones.
        if (isOptional && (value === undefined || value === null)) return;
        write(target, value);
        writeTag(target, number, wire);
      };
    }
  }
}

function nested(number: number, write: ValueWriter): ValueWriter {
  return (target, value) => {
    const end = target.length;
    write(target, value);
    target.varint(target.length - end);
    writeTag(target, number, 2);
  };
}

function mapWriter(number: number, type: GoType): ValueWriter {
  // A list cannot be the value of a map in protobuf, so it is a message that holds one.
  const value = type.kind === 'list' ? nested(2, taggedWriter(1, type)) : taggedWriter(2, type);
  return (target, map) => {
    if (map === undefined || map === null) return;
    const entries = map as Readonly<Record<string, unknown>>;
    const keys = Object.keys(entries);
    if (keys.length > 1) keys.sort(compareGoStrings);
    for (let i = keys.length - 1; i >= 0; i--) {
      const key = keys[i] as string;
      const end = target.length;
      value(target, entries[key]);
      target.text(key);
      target.byte(0x0a);
      target.varint(target.length - end);
      writeTag(target, number, 2);
    }
  };
}

function writeTag(target: ReverseWriter, number: number, wire: number): void {
  target.varint(number * 8 + wire);
}
