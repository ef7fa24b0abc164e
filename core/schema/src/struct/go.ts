import {
  formatGoDuration,
  goStruct,
  type GoType,
  jsonTypeName,
  never,
  parsedTextDecoder,
  parseGoDuration,
  type Scalar,
  scalarGoNames,
  structDecoder,
  type ValueDecoder,
} from '@tektite/go';
import type { ObjectMeta } from '@tektite/meta';
import { definitionOf } from '../kubernetes/definition.ts';
import type { BuiltinTypes } from '../kubernetes/generated/types.ts';
import { Field, type Fields, type Presence, qualified, type StructValue } from './field.ts';
import { Struct } from './struct.ts';

type AnyField<T> = Field<T, Presence>;

/**
 * Builds structs of Go programs. A struct written with it gives the TypeScript type, the schema of the
 * CustomResourceDefinition, the strict decoder with Go's messages, and the printer.
 *
 * Names without a package (`Params`) are those of the version that a struct is used in; `v1.PullPolicy` is the same in all.
 *
 * @example
 * const stepFields = {
 *   name: go.string().required(),
 *   onError: go.string<'continue' | 'stopAndFail'>('OnErrorType'),
 *   timeout: go.pointer(go.duration()),
 *   volumeMounts: go.list(go.builtin('core/v1.VolumeMount')),
 *   resources: go.builtin('core/v1.ResourceRequirements').legacy('v1beta1'),
 * };
 * export interface Step extends StructValue<typeof stepFields> {}
 * export const Step: Struct<Step> = go.struct('Step', stepFields);
 */
export const go = {
  struct: <const F extends Fields>(name: string, fields: F): Struct<StructValue<F>> => new Struct(name, fields),

  /** The fields of an embedded struct, to be spread among those of the struct around it. */
  embed: <const F extends Fields>(name: string, fields: F): F =>
    Object.fromEntries(Object.entries(fields).map(([key, field]) => [key, field.with({ embedded: name })])) as F,

  /** A struct that is defined further down, or that contains itself. */
  lazy: <T>(struct: () => Struct<T>): Field<T> => new Field((version) => struct().typeIn(version)),

  /** A struct of Kubernetes. */
  builtin: <const K extends keyof BuiltinTypes>(key: K): Field<BuiltinTypes[K]> =>
    new Field(() => goStruct(key, () => definitionOf(key))),

  pointer: <T>(to: AnyField<T>): Field<T> =>
    new Field((version) => {
      const type = to.typeIn(version);
      return { kind: 'pointer', to: type, goName: `*${type.goName}` };
    }, to.options),

  list: <T>(element: AnyField<T>): Field<readonly T[]> =>
    new Field((version) => {
      const type = element.typeIn(version);
      return { kind: 'list', element: type, goName: `[]${type.goName}` };
    }),

  /** Values by names. `keyName` is the Go type of the names, if it is not string. */
  map: <T>(value: AnyField<T>, keyName = 'string'): Field<Readonly<Record<string, T>>> =>
    new Field((version) => {
      const type = value.typeIn(version);
      const key = keyName === 'string' ? keyName : qualified(keyName, version);
      return { kind: 'map', value: type, goName: `map[${key}]${type.goName}` };
    }),

  /** A text. `name` is that of its Go type, if it has its own; `T` the values that are known. */
  string: <T extends string = string>(name?: string): Field<T> => scalar('string', name),
  bool: (): Field<boolean> => scalar('bool'),
  /** Go's `int`, for which schemas give no format. */
  int: (goName = 'int'): Field<number> =>
    new Field(() => ({ kind: 'scalar', scalar: 'int64', goName }), { schema: { type: 'integer' } }),
  int32: (): Field<number> => scalar('int32'),
  int64: (): Field<number> => scalar('int64'),
  /** A moment: RFC 3339. */
  time: (): Field<string> => scalar('Time'),
  /** A span of time: `90m` is read, `1h30m0s` printed. */
  duration: (): Field<string> =>
    go.custom('v1.Duration', 'string', () => parsedTextDecoder((text) => formatGoDuration(parseGoDuration(text)))),
  /** Bytes: base64 in JSON. */
  bytes: (): Field<string> => scalar('bytes'),
  /** Any object, kept as it is. */
  rawExtension: <T = unknown>(): Field<T> => scalar('RawExtension'),

  /** The metadata of a resource. A webhook leaves it as it is: the API server checks it. */
  objectMeta: (): Field<ObjectMeta, 'present'> =>
    go.custom<ObjectMeta>('v1.ObjectMeta', 'JSON', () => objectMetaDecoder).validated(),

  /** A type that decodes itself. For schemas it is the scalar. */
  custom: <T>(name: string, scalar: Scalar, decoder: (goName: string) => ValueDecoder): Field<T> =>
    new Field((version) => {
      const goName = qualified(name, version);
      return { kind: 'scalar', scalar, goName, decoder: decoder(goName) };
    }),
};

function scalar<T>(scalar: Scalar, name?: string): Field<T> {
  return new Field((version): GoType => {
    return { kind: 'scalar', scalar, goName: name === undefined ? scalarGoNames[scalar] : qualified(name, version) };
  });
}

const objectMetaDecoder: ValueDecoder = {
  decode(raw, state) {
    const isMap = typeof raw === 'object' && raw !== null && !Array.isArray(raw);
    if (isMap && !state.isEncodingJson) return structDecoder(definitionOf('meta/v1.ObjectMeta')).decode(raw, state);
    if (!isMap) state.mismatched(jsonTypeName(raw), 'v1.ObjectMeta');
    return raw;
  },
  zero: (state) => structDecoder(definitionOf('meta/v1.ObjectMeta')).zero(state),
  isEmpty: never,
};
