import type { GoType } from '@tektite/go';
import type { JsonSchema } from '../structural-schema.ts';

/**
 * Whether objects have a field, as far as TypeScript knows: every object, some, or none, because the field belongs to older
 * versions only.
 */
export type Presence = 'present' | 'optional' | 'absent';

/** The properties of a field that its type does not have. */
export interface FieldOptions {
  /** The CustomResourceDefinition demands the field. */
  readonly required?: boolean;
  /** No `omitempty`: Go prints the field even if it is empty. */
  readonly always?: boolean;
  /** The CustomResourceDefinition accepts anything; only the webhook knows the type. Of some versions, or of all. */
  readonly schemaless?: readonly string[] | true;
  /** An empty map is not printed, but defaults depend on it. */
  readonly remembersEmpty?: boolean;
  /** The versions that have the field, if not all. */
  readonly versions?: readonly string[];
  /** The embedded struct that the field comes from. Errors name it, the wire does not. */
  readonly embedded?: string;
  /** The fields that identify an element of the list. */
  readonly mapKeys?: readonly string[];
  /** The schema, where it does not follow from the type. */
  readonly schema?: JsonSchema;
}

/**
 * A Go type together with the TypeScript type of its values, and how a struct uses it as a field. Fields are values: every
 * method returns a new one.
 */
export class Field<out T, out P extends Presence = 'optional'> {
  /** Only for the type system; there is no such property. */
  declare readonly '~value': T;
  /** Only for the type system; there is no such property. */
  declare readonly '~presence': P;
  readonly options: FieldOptions;
  /** The Go type in one version of the API: its name and its fields depend on the version. */
  readonly typeIn: (version: string) => GoType;

  constructor(typeIn: (version: string) => GoType, options: FieldOptions = {}) {
    this.typeIn = typeIn;
    this.options = options;
  }

  /** The same type with other options. */
  with<Q extends Presence = P>(options: FieldOptions): Field<T, Q> {
    return new Field(this.typeIn, { ...this.options, ...options });
  }

  /** Demanded by the CustomResourceDefinition, and printed even if empty. */
  required(): Field<T, 'present'> {
    return this.with({ required: true, always: true });
  }

  /** Printed even if empty. A writer may leave it out. */
  always(): Field<T, P> {
    return this.with({ always: true });
  }

  /** Present in objects that passed validation, which alone demands it. */
  validated(): Field<T, 'present'> {
    return this.with({});
  }

  /** Absent from objects that are not yet defaulted, even where the CustomResourceDefinition demands it. */
  defaulted(): Field<T> {
    return this.with({});
  }

  /** Without a schema, in these versions or in all. */
  schemaless(...versions: readonly string[]): Field<T, P> {
    return this.with({ schemaless: versions.length > 0 ? versions : true });
  }

  remembersEmpty(): Field<T, P> {
    return this.with({ remembersEmpty: true });
  }

  /** A list whose elements differ in these fields. */
  keyedBy(...mapKeys: readonly string[]): Field<T, P> {
    return this.with({ mapKeys });
  }

  /** A field of these versions. */
  only(...versions: readonly string[]): Field<T, P> {
    return this.with({ versions });
  }

  /** A field of these older versions, which the TypeScript type does not have. */
  legacy(...versions: readonly string[]): Field<T, 'absent'> {
    return this.with({ versions });
  }

  /** The same shape under another name, which errors print. Without a package, that of the version. */
  named(name: string): Field<T, P> {
    const typeIn = (version: string): GoType => ({ ...this.typeIn(version), goName: qualified(name, version) });
    return new Field(typeIn, this.options);
  }

  /** The types that the field has in other versions. */
  in(others: Readonly<Record<string, Field<unknown>>>): Field<T, P> {
    const typeIn = (version: string) =>
      (Object.hasOwn(others, version) ? (others[version] as Field<unknown>) : this).typeIn(version);
    return new Field(typeIn, this.options);
  }

  /** The type as one version has it, whichever version uses it. */
  pinned(version: string): Field<T, P> {
    return new Field(() => this.typeIn(version), this.options);
  }
}

/** `v1.Params` for `Params`; a name that has a package already stays. */
export function qualified(name: string, version: string): string {
  return name.includes('.') ? name : `${version}.${name}`;
}

export type Fields = Readonly<Record<string, Field<unknown, Presence>>>;

/**
 * The TypeScript type of a struct with these fields. An interface that extends it gives the type a name, which editors and
 * errors show instead of the fields.
 */
export type StructValue<F extends Fields> = {
  readonly [K in keyof F as F[K]['~presence'] extends 'present' ? K : never]: F[K]['~value'];
} & {
  readonly [K in keyof F as F[K]['~presence'] extends 'optional' ? K : never]?: F[K]['~value'];
};
