import type { JsonSchema, ListType, ValidationRule } from '../structural-schema.ts';

/**
 * A schema that knows the TypeScript type of its values. `Value` is what a reader finds in an object that went through
 * the server; `Optional` says whether a property of this schema may be absent.
 */
export interface Schema<Value, Optional extends boolean = false> {
  readonly schema: JsonSchema;
  readonly isOptional: Optional;
  /** The properties of an object, as they were built. */
  readonly shape?: Shape;
  readonly goForm?: GoForm;
  /** Only for the type system; there is no such property. */
  readonly '~value'?: Value;
  /** The property may be absent. */
  optional(): Schema<Value, true>;
  /** The value may be `null`. */
  nullable(): Schema<Value | null, Optional>;
  /** The server fills it in, so a reader always finds it; a writer may leave it out. */
  default(value: Value): Schema<Value, Optional>;
  /** Says what the field is for. */
  describe(description: string): Schema<Value, Optional>;
  /** Adds a CEL rule, with the message for those who break it. */
  rule(rule: string, message?: string): Schema<Value, Optional>;
  rule(rule: ValidationRule): Schema<Value, Optional>;
  /** The declaration of the field in upstream's Go struct, where it is not the usual one. Only printing depends on it. */
  inGo(form: GoForm): Schema<Value, Optional>;
}

/**
 * How a Go struct declares a field. Usual are pointers for optional booleans and numbers, and plain values for everything else.
 *
 * - `pointer`: printed when it is there, even if it is zero.
 * - `value`: an object is always printed; anything else is dropped when it is zero.
 * - `raw`: JSON that is not decoded: printed as it is, dropped when it is empty.
 */
export type GoForm = 'pointer' | 'value' | 'raw';

/** The type of the values of a schema. */
export type InferType<S> = S extends Schema<infer Value, boolean> ? Value : never;

type AnySchema = Schema<unknown, boolean>;
type Shape = Readonly<Record<string, AnySchema>>;

type OptionalKeys<S extends Shape> = { [K in keyof S]: S[K] extends Schema<unknown, true> ? K : never }[keyof S];

/** The object type of a shape: required and optional properties, all read-only. */
export type InferShape<S extends Shape> = Flatten<
  { readonly [K in Exclude<keyof S, OptionalKeys<S>>]: InferType<S[K]> } & {
    readonly [K in OptionalKeys<S>]?: InferType<S[K]>;
  }
>;

type Flatten<T> = { [K in keyof T]: T[K] };

interface Extra {
  readonly shape?: Shape;
  readonly goForm?: GoForm;
}

function build<Value, Optional extends boolean>(
  schema: JsonSchema,
  isOptional: Optional,
  extra: Extra = {},
): Schema<Value, Optional> {
  const change = (more: JsonSchema): Schema<Value, Optional> => build({ ...schema, ...more }, isOptional, extra);
  return {
    schema,
    isOptional,
    ...extra,
    inGo: (goForm) => build(schema, isOptional, { ...extra, goForm }),
    optional: () => build(schema, true, extra),
    nullable: () => build({ ...schema, nullable: true }, isOptional, extra),
    default: (value) => change({ default: value }),
    describe: (description) => change({ description }),
    rule: (rule: string | ValidationRule, message?: string) => {
      const added = typeof rule === 'string' ? { rule, ...(message === undefined ? {} : { message }) } : rule;
      return change({ 'x-kubernetes-validations': [...(schema['x-kubernetes-validations'] ?? []), added] });
    },
  };
}

const required = <Value>(schema: JsonSchema): Schema<Value> => build<Value, false>(schema, false);

export interface StringOptions {
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly pattern?: string;
  readonly format?: string;
}

export interface NumberOptions {
  readonly minimum?: number;
  readonly maximum?: number;
  readonly exclusiveMinimum?: boolean;
  readonly exclusiveMaximum?: boolean;
  readonly multipleOf?: number;
}

export interface IntegerOptions extends NumberOptions {
  readonly format?: 'int32' | 'int64';
}

export interface ListOptions {
  readonly minItems?: number;
  readonly maxItems?: number;
  /** Elements of a set must differ, elements of a map must differ in these keys. */
  readonly set?: true;
  readonly keys?: readonly string[];
}

export interface MapOptions {
  readonly minProperties?: number;
  readonly maxProperties?: number;
}

export interface ObjectOptions extends MapOptions {
  /** Fields the schema does not name are kept. */
  readonly preserveUnknown?: true;
  /** The object is written as one piece: two writers never share it. */
  readonly atomic?: true;
}

type Scalar = string | number | boolean;

function listType({ set, keys }: ListOptions): { type?: ListType; keys?: readonly string[] } {
  if (keys) return { type: 'map', keys };
  return set ? { type: 'set' } : {};
}

function mapOptions({ minProperties, maxProperties }: MapOptions): JsonSchema {
  return {
    ...(minProperties === undefined ? {} : { minProperties }),
    ...(maxProperties === undefined ? {} : { maxProperties }),
  };
}

/**
 * Builds schemas whose TypeScript type is inferred.
 *
 * @example
 * const spec = s.object({
 *   replicas: s.integer({ minimum: 0 }).default(1),
 *   image: s.string(),
 *   ports: s.list(s.object({ name: s.string(), port: s.integer() }), { keys: ['name'] }).optional(),
 * });
 * type Spec = InferType<typeof spec>;
 */
export const s = {
  string: (options: StringOptions = {}): Schema<string> => required({ type: 'string', ...options }),
  integer: (options: IntegerOptions = {}): Schema<number> => required({ type: 'integer', ...options }),
  number: (options: NumberOptions = {}): Schema<number> => required({ type: 'number', ...options }),
  boolean: (): Schema<boolean> => required({ type: 'boolean' }),
  /** One of these values, all of one type. */
  enum: <const V extends Scalar>(...values: readonly [V, ...V[]]): Schema<V> => {
    const type = typeof values[0] === 'number' ? 'integer' : typeof values[0];
    return required({ type, enum: values });
  },
  /** A moment: RFC 3339. */
  time: (): Schema<string> => required({ type: 'string', format: 'date-time' }),
  /** A span of time: `1h30m`. */
  duration: (): Schema<string> => required({ type: 'string', format: 'duration' }),
  /** Bytes in base64. */
  bytes: (): Schema<string> => required({ type: 'string', format: 'byte' }),
  /** A number or a text such as `50%`. */
  intOrString: (options: Pick<StringOptions, 'pattern'> = {}): Schema<number | string> =>
    required({ 'x-kubernetes-int-or-string': true, ...options }),
  /** An amount with a unit: `500m`, `1Gi`. */
  quantity: (): Schema<number | string> =>
    required({
      'x-kubernetes-int-or-string': true,
      pattern:
        '^(\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))(([KMGTPE]i)|[numkMGTPE]|([eE](\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))))?$',
    }),
  list: <S extends AnySchema>(items: S, options: ListOptions = {}): Schema<readonly InferType<S>[]> => {
    const { type, keys } = listType(options);
    return required({
      type: 'array',
      items: items.schema,
      ...(options.minItems === undefined ? {} : { minItems: options.minItems }),
      ...(options.maxItems === undefined ? {} : { maxItems: options.maxItems }),
      ...(type ? { 'x-kubernetes-list-type': type } : {}),
      ...(keys ? { 'x-kubernetes-list-map-keys': keys } : {}),
    });
  },
  /** Values by names that the schema does not know. */
  map: <S extends AnySchema>(values: S, options: MapOptions = {}): Schema<Readonly<Record<string, InferType<S>>>> =>
    required({ type: 'object', additionalProperties: values.schema, ...mapOptions(options) }),
  object: <const S extends Shape>(shape: S, options: ObjectOptions = {}): Schema<InferShape<S>> => {
    const names = Object.keys(shape);
    const needed = names.filter((name) => !shape[name]?.isOptional && shape[name]?.schema.default === undefined);
    const schema: JsonSchema = {
      type: 'object',
      properties: Object.fromEntries(names.map((name) => [name, (shape[name] as AnySchema).schema])),
      ...(needed.length > 0 ? { required: needed } : {}),
      ...mapOptions(options),
      ...(options.preserveUnknown ? { 'x-kubernetes-preserve-unknown-fields': true } : {}),
      ...(options.atomic ? { 'x-kubernetes-map-type': 'atomic' } : {}),
    };
    return build(schema, false, { shape });
  },
  /** A whole object of any kind inside of another. */
  embedded: (): Schema<EmbeddedObject> =>
    required({ type: 'object', 'x-kubernetes-embedded-resource': true, 'x-kubernetes-preserve-unknown-fields': true }),
  /** Any JSON, kept as it is. The type is `unknown`: who reads it must look. */
  unknown: (): Schema<unknown> => required({ 'x-kubernetes-preserve-unknown-fields': true }),
  /** A schema written by hand, with the type its values have. */
  raw: <Value>(schema: JsonSchema): Schema<Value> => required(schema),
};

/** The known fields of an embedded object. */
export interface EmbeddedObject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly [field: string]: unknown;
}
