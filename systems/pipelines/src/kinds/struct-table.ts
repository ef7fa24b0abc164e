import { parseGoType } from '@tektite/go';
import { type Definition, definitionOf, type FieldDefinition } from '@tektite/schema/kubernetes';

/** A field of one of Tekton's structs. */
export interface StructField extends Omit<FieldDefinition, 'protobuf'> {
  /** The CustomResourceDefinition says nothing of what is inside: the webhook alone knows. */
  readonly schemaless: boolean;
  /** An empty map is not the same as none, if only for defaults. */
  readonly remembersEmpty?: boolean;
}

/** A struct of Tekton's API or of Kubernetes': its fields as Go reads and prints them. */
export interface Struct {
  readonly key: string;
  /** As Go's errors call it: the name without the package. */
  readonly goName: string;
  readonly fields: readonly StructField[];
  readonly atomic: boolean;
  /** By their names in lower case, because Go's decoder does not look at the case. */
  readonly byFoldedName: ReadonlyMap<string, StructField>;
  readonly byName: ReadonlyMap<string, StructField>;
}

/**
 * Structs by their names; fields by theirs, with their Go types. In a type `~Step` is a struct of the same version, `%` the name
 * of the version. A name `Inner/field` is that of a field of an embedded struct. Behind a type: `!` is printed even if empty, and required; `+` is printed even if empty; `?` has no schema;
 * `@` an empty one is remembered.
 */
export type StructTable = Readonly<Record<string, Readonly<Record<string, string>>>>;

const structs = new Map<string, Struct>();

/** Adds the structs of one version. Their keys are `tekton/VERSION.NAME`. */
export function defineStructs(version: string, table: StructTable): void {
  for (const [name, fields] of Object.entries(table)) {
    const key = `tekton/${version}.${name}`;
    const list = Object.entries(fields).map(([field, text]) => readField(version, field, text));
    structs.set(key, makeStruct(key, list, false));
  }
}

/** Whether a struct of Tekton's has that key. */
export function hasStruct(key: string): boolean {
  return structs.has(key);
}

/** The struct with that key: one of Tekton's, or a built-in one. */
export function structOf(key: string): Struct {
  const known = structs.get(key);
  if (known) return known;
  const struct = fromDefinition(definitionOf(key));
  structs.set(key, struct);
  return struct;
}

function readField(version: string, key: string, text: string): StructField {
  const [name = '', embedded] = key.split('/').reverse();
  const [, type = '', flags = ''] = /^(.*?)([!+?@]*)$/.exec(text) ?? [];
  return {
    name,
    ...(embedded === undefined ? {} : { embedded }),
    type: parseGoType(type.replaceAll('~', `tekton/${version}.`).replaceAll('%', version), structOf),
    required: flags.includes('!'),
    always: flags.includes('!') || flags.includes('+'),
    omitzero: false,
    schemaless: flags.includes('?'),
    remembersEmpty: flags.includes('@'),
  };
}

function fromDefinition({ key, fields, atomic }: Definition): Struct {
  return makeStruct(
    key,
    fields.map((field) => ({ ...field, schemaless: false })),
    atomic,
  );
}

function makeStruct(key: string, fields: readonly StructField[], atomic: boolean): Struct {
  const byName = new Map(fields.map((field) => [field.name, field]));
  const byFoldedName = new Map(fields.map((field) => [field.name.toLowerCase(), field]));
  return { key, goName: key.slice(key.indexOf('.') + 1), fields, atomic, byName, byFoldedName };
}
