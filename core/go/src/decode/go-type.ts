import type { ValueDecoder } from './value-decoder.ts';

/**
 * The Go type behind a field. The wire format of Kubernetes is what Go's encoding/json makes of its types, so what is
 * printed, what is dropped and what an error message says all follow from it.
 */
export type GoType = GoScalar | GoStruct | GoPointer | GoList | GoMap;

export interface GoScalar {
  readonly kind: 'scalar';
  readonly scalar: Scalar;
  /** As Go prints it in an error: `int32`, `v1.PullPolicy`, `resource.Quantity`. */
  readonly goName: string;
  /** The struct that the unions inside a JSON schema are made of. */
  readonly struct?: () => StructDefinition;
  /** The decoder of a type with a custom decoding method. */
  readonly decoder?: ValueDecoder;
}

export interface GoStruct {
  readonly kind: 'struct';
  /** The key of its definition, as `core/v1.PodSpec`. */
  readonly definition: string;
  readonly goName: string;
  /** A function, because structs refer to themselves and to one another. */
  readonly struct: () => StructDefinition;
}

export interface GoPointer {
  readonly kind: 'pointer';
  readonly to: GoType;
  readonly goName: string;
}

export interface GoList {
  readonly kind: 'list';
  readonly element: GoType;
  readonly goName: string;
}

export interface GoMap {
  readonly kind: 'map';
  readonly value: GoType;
  readonly goName: string;
}

/** A struct: its fields as Go reads and prints them. */
export interface StructDefinition {
  /** Go package and type, as `core/v1.PodSpec`. */
  readonly key: string;
  /** In the order in which they are printed. */
  readonly fields: readonly GoField[];
}

export interface GoField {
  readonly name: string;
  readonly type: GoType;
  /** No `omitempty`: zero values are printed, `null` for a nil list, map or pointer. */
  readonly always: boolean;
  /** Not printed when zero even if it is a struct or a time, which `omitempty` alone does not achieve in Go. */
  readonly omitzero: boolean;
  /** The embedded structs the field comes from (`RuleWithOperations.Rule`); errors name them, the wire does not. */
  readonly embedded?: string;
  /** An empty map is not printed, but {@link hadEmptyMap} knows of it. */
  readonly remembersEmpty?: boolean;
}

/** Everything that is not built from other types here, including the types that decode themselves. */
export type Scalar = keyof typeof scalarGoNames;

/** How errors name scalars. */
export const scalarGoNames = {
  string: 'string',
  bool: 'bool',
  int32: 'int32',
  int64: 'int64',
  float64: 'float64',
  bytes: '[]uint8',
  Time: 'v1.Time',
  MicroTime: 'v1.MicroTime',
  Quantity: 'resource.Quantity',
  IntOrString: 'intstr.IntOrString',
  FieldsV1: 'v1.FieldsV1',
  RawExtension: 'runtime.RawExtension',
  JSON: 'v1.JSON',
  JSONSchemaPropsOrArray: 'v1.JSONSchemaPropsOrArray',
  JSONSchemaPropsOrBool: 'v1.JSONSchemaPropsOrBool',
  JSONSchemaPropsOrStringArray: 'v1.JSONSchemaPropsOrStringArray',
} as const;

/**
 * Reads the notation of the generated table: `*int64`, `[]core/v1.Container`, `map[string]string`; `#v1.PullPolicy` is a
 * string with a name, `#v1.ResourceList=map[…]Quantity` another type with a name. `structOf` finds the structs that it names.
 */
export function parseGoType(text: string, structOf: (key: string) => StructDefinition): GoType {
  if (text.startsWith('*')) {
    const to = parseGoType(text.slice(1), structOf);
    return { kind: 'pointer', to, goName: `*${to.goName}` };
  }
  if (text.startsWith('[]')) {
    const element = parseGoType(text.slice(2), structOf);
    return { kind: 'list', element, goName: `[]${element.goName}` };
  }
  if (text.startsWith('map[')) {
    const end = text.indexOf(']');
    const key = text.slice('map['.length, end).replace('#', '');
    const value = parseGoType(text.slice(end + 1), structOf);
    return { kind: 'map', value, goName: `map[${key}]${value.goName}` };
  }
  if (text.startsWith('#')) {
    const equals = text.indexOf('=');
    if (equals < 0) return { kind: 'scalar', scalar: 'string', goName: text.slice(1) };
    return { ...parseGoType(text.slice(equals + 1), structOf), goName: text.slice(1, equals) };
  }
  if (isScalar(text)) return goScalar(text, structOf);
  return goStruct(text, () => structOf(text));
}

function goScalar(scalar: Scalar, structOf: (key: string) => StructDefinition): GoScalar {
  const goName = scalarGoNames[scalar];
  if (!scalar.startsWith('JSONSchemaProps')) return { kind: 'scalar', scalar, goName };
  return { kind: 'scalar', scalar, goName, struct: () => structOf('apiextensions/v1.JSONSchemaProps') };
}

/** A reference to a struct, by the key of its definition. */
export function goStruct(definition: string, struct: () => StructDefinition): GoStruct {
  return { kind: 'struct', definition, goName: definition.slice(definition.indexOf('/') + 1), struct };
}

function isScalar(name: string): name is Scalar {
  return Object.hasOwn(scalarGoNames, name);
}
