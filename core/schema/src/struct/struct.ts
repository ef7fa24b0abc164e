import { type GoField, goStruct, type StructDefinition } from '@tektite/go';
import type { FieldMerge } from '../kubernetes/definition.ts';
import type { JsonSchema } from '../structural-schema.ts';
import { Field, type Fields, type Presence, qualified } from './field.ts';

/** A struct in one version: what decoders and schemas are made from. Kubernetes' own definitions have the same form. */
export interface StructVersion extends StructDefinition {
  readonly fields: readonly StructField[];
  readonly atomic?: boolean;
}

export interface StructField extends GoField, FieldMerge {
  readonly required: boolean;
  readonly default?: string | number | boolean;
  /** The schema, where it does not follow from the type. */
  readonly schema?: JsonSchema;
}

const anything: JsonSchema = { 'x-kubernetes-preserve-unknown-fields': true };

/** A struct of a system's API, in all of its versions. It is the type of a field, too. */
export class Struct<out T> extends Field<T> {
  /** As Go names it: without the package, or with it if all versions share the struct. */
  readonly name: string;
  readonly fields: Fields;
  private readonly versions = new Map<string, StructVersion>();

  constructor(name: string, fields: Fields) {
    super((version) => goStruct(qualified(name, version), () => this.definitionIn(version)));
    this.name = name;
    this.fields = fields;
  }

  /** The struct as a version has it. The same object each time. */
  definitionIn(version: string): StructVersion {
    const known = this.versions.get(version);
    if (known) return known;
    const fields = Object.entries(this.fields)
      .filter(([, { options }]) => options.versions?.includes(version) ?? true)
      .map(([name, field]) => fieldIn(version, name, field));
    const definition = { key: qualified(this.name, version), fields };
    this.versions.set(version, definition);
    return definition;
  }
}

function fieldIn(version: string, name: string, { typeIn, options }: Field<unknown, Presence>): StructField {
  const { required = false, always = false, schemaless, embedded, mapKeys, remembersEmpty } = options;
  const schema = schemaless === true || schemaless?.includes(version) ? anything : options.schema;
  return {
    name,
    type: typeIn(version),
    required,
    always,
    omitzero: false,
    ...(embedded === undefined ? {} : { embedded }),
    ...(mapKeys ? { listType: 'map' as const, mapKeys } : {}),
    ...(remembersEmpty ? { remembersEmpty } : {}),
    ...(schema ? { schema } : {}),
  };
}
