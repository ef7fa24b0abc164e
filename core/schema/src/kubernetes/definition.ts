import { definitionsJson } from './generated/definitions.ts';
import { type GoField, parseGoType, type StructDefinition } from '@tektite/go';

/** A struct of the Kubernetes API: its fields, and how they are encoded and merged. */
export interface Definition extends StructDefinition {
  /** Replaced as a whole by server-side apply, wherever it is used. */
  readonly atomic: boolean;
  readonly fields: readonly FieldDefinition[];
}

export interface FieldDefinition extends GoField, FieldMerge {
  /** Whether OpenAPI says the field is required. */
  readonly required: boolean;
  /**
   * The field's number in protobuf, those of the embedded structs around it first. Empty for `kind` and `apiVersion`
   * where they are no part of the message.
   */
  readonly protobuf: readonly number[];
  /** The default that the schema declares. Server-side apply needs it for the keys of list-maps (`protocol: TCP`). */
  readonly default?: string | number | boolean;
}

/** How a field merges, in server-side apply and in strategic merge patch. */
export interface FieldMerge {
  readonly listType?: 'map' | 'set';
  readonly mapKeys?: readonly string[];
  readonly atomic?: boolean;
  /** `merge`, `retainKeys`, `merge,retainKeys` or `replace`. */
  readonly patchStrategy?: string;
  readonly patchMergeKey?: string;
}

interface TableEntry {
  readonly atomic?: boolean;
  readonly fields: readonly (readonly [
    name: string,
    type: string,
    flags?: string,
    more?: FieldMerge & Partial<Pick<FieldDefinition, 'embedded' | 'protobuf' | 'default'>>,
  ])[];
}

let table: Map<string, TableEntry> | undefined;
const definitions = new Map<string, Definition>();

function entries(): Map<string, TableEntry> {
  table ??= new Map(Object.entries(JSON.parse(definitionsJson) as Record<string, TableEntry>));
  return table;
}

/** The keys of all definitions. */
export function definitionKeys(): readonly string[] {
  return [...entries().keys()];
}

/** The definition with that key, or undefined. The same object each time. */
export function findDefinition(key: string): Definition | undefined {
  const known = definitions.get(key);
  if (known) return known;
  const entry = entries().get(key);
  if (!entry) return undefined;
  const definition = { key, atomic: entry.atomic === true, fields: readFields(entry.fields) };
  definitions.set(key, definition);
  return definition;
}

/** {@link findDefinition} for a key that must exist, such as one found in another definition. */
export function definitionOf(key: string): Definition {
  const definition = findDefinition(key);
  if (!definition) throw new Error(`no Kubernetes type ${key}`);
  return definition;
}

function readFields(rows: TableEntry['fields']): FieldDefinition[] {
  let number = 0;
  return rows.map(([name, type, flags = '', more = {}]) => {
    const isOutside = name === 'kind' || name === 'apiVersion';
    const protobuf = more.protobuf ?? (isOutside ? [] : [number + 1]);
    // The fields after an embedded struct are numbered from the number of that struct.
    number = protobuf[0] ?? number;
    return {
      name,
      type: parseGoType(type, definitionOf),
      required: flags.includes('r'),
      always: flags.includes('a'),
      omitzero: flags.includes('z'),
      ...more,
      protobuf,
    };
  });
}
