/** How a field is on the wire. A nested message is its descriptor. */
export type FieldType =
  | 'string'
  | 'bytes'
  | 'int32'
  | 'int64'
  | 'timestamp'
  | 'textMap'
  | 'struct'
  | EnumDescriptor
  | (() => MessageDescriptor);

export interface EnumDescriptor {
  readonly names: readonly string[];
}

export interface FieldDescriptor {
  readonly name: string;
  readonly number: number;
  readonly type: FieldType;
  readonly repeated: boolean;
}

/** A message of protobuf: what its binary and its JSON form are derived from. */
export interface MessageDescriptor<T = unknown> {
  readonly fields: readonly FieldDescriptor[];
  readonly byNumber: ReadonlyMap<number, FieldDescriptor>;
  /** The message itself, for the type alone. */
  readonly message?: T;
}

type FieldSpec = readonly [number: number, type: FieldType, repeated?: 'repeated'];

/** Describes a message by its fields, in the order of their numbers. */
export function message<T>(specs: { readonly [K in keyof T]-?: FieldSpec }): MessageDescriptor<T> {
  const fields = Object.entries<FieldSpec>(specs)
    .map(
      ([name, [number, type, repeated]]): FieldDescriptor => ({
        name,
        number,
        type,
        repeated: repeated !== undefined,
      }),
    )
    .sort((a, b) => a.number - b.number);
  return { fields, byNumber: new Map(fields.map((field) => [field.number, field])) };
}

/** A message in memory: absent fields have their default. Timestamps are microseconds since 1970. */
export type Fields = Readonly<Record<string, unknown>>;
