/** The parts of a type; opaque types (optionals, quantities) are distinguished by name. */
export type CelKind =
  | 'bool'
  | 'bytes'
  | 'double'
  | 'duration'
  | 'dyn'
  | 'error'
  | 'int'
  | 'list'
  | 'map'
  | 'null_type'
  | 'opaque'
  | 'param'
  | 'string'
  | 'struct'
  | 'timestamp'
  | 'type'
  | 'uint';

/** A type of CEL. */
export interface CelType {
  readonly kind: CelKind;
  readonly name: string;
  readonly params: readonly CelType[];
  /** The fields of a struct; it may be filled in later, because a struct may contain itself. */
  readonly fields?: ReadonlyMap<string, CelType>;
}

const simple = (kind: CelKind, name: string = kind): CelType => ({ kind, name, params: [] });

export const boolType: CelType = simple('bool');
export const bytesType: CelType = simple('bytes');
export const doubleType: CelType = simple('double');
export const durationType: CelType = simple('duration', 'google.protobuf.Duration');
export const dynType: CelType = simple('dyn');
export const errorType: CelType = simple('error', '!error!');
export const intType: CelType = simple('int');
export const nullType: CelType = simple('null_type');
export const stringType: CelType = simple('string');
export const timestampType: CelType = simple('timestamp', 'google.protobuf.Timestamp');
export const uintType: CelType = simple('uint');

export const listType = (element: CelType): CelType => ({ kind: 'list', name: 'list', params: [element] });
export const mapType = (key: CelType, value: CelType): CelType => ({ kind: 'map', name: 'map', params: [key, value] });
export const typeType = (param?: CelType): CelType => ({ kind: 'type', name: 'type', params: param ? [param] : [] });
export const typeParam = (name: string): CelType => ({ kind: 'param', name, params: [] });
export const opaqueType = (name: string, ...params: CelType[]): CelType => ({ kind: 'opaque', name, params });
export const optionalType = (value: CelType): CelType => opaqueType('optional_type', value);
/** A type known by its name alone, as Kubernetes declares its own: no fields, no parameters. */
export const namedType = (name: string): CelType => ({ kind: 'struct', name, params: [] });
export const structType = (name: string, fields: ReadonlyMap<string, CelType>): CelType => ({
  kind: 'struct',
  name,
  params: [],
  fields,
});

export const isDyn = (type: CelType): boolean => type.kind === 'dyn';
export const isDynOrError = (type: CelType): boolean => type.kind === 'dyn' || type.kind === 'error';
export const isOptional = (type: CelType): boolean => type.kind === 'opaque' && type.name === 'optional_type';

/** The type inside of an optional, or the type itself. */
export function unwrapOptional(type: CelType): CelType {
  return isOptional(type) ? (type.params[0] as CelType) : type;
}

/** Whether two types are exactly the same. Structs are the same when they have the same name. */
export function sameType(a: CelType, b: CelType): boolean {
  if (a === b) return true;
  if (a.kind !== b.kind || a.params.length !== b.params.length) return false;
  const named = a.kind === 'struct' || a.kind === 'opaque' || a.kind === 'param';
  if (named && a.name !== b.name) return false;
  return a.params.every((param, index) => sameType(param, b.params[index] as CelType));
}

/** A type as messages print it. */
export function formatType(type: CelType): string {
  switch (type.kind) {
    case 'duration':
    case 'timestamp':
      return type.kind;
    case 'null_type':
      return 'null';
    case 'error':
      return '!error!';
    default:
      return type.params.length === 0 ? type.name : `${type.name}(${type.params.map(formatType).join(', ')})`;
  }
}

/** The arguments of a call as messages print them: `(int, string)`, or `string.(int)` for a method. */
export function formatSignature(args: readonly CelType[], isMethod: boolean): string {
  const names = args.map(formatType);
  return isMethod ? `${names[0]}.(${names.slice(1).join(', ')})` : `(${names.join(', ')})`;
}
