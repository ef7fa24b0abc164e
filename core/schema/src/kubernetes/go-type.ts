/**
 * The Go type behind a field of a built-in kind. The wire format of Kubernetes is what Go's encoding/json makes of its
 * types, so what is printed, what is dropped and what an error message says all follow from it.
 */
export type GoType = GoScalar | GoStruct | GoPointer | GoList | GoMap;

export interface GoScalar {
  readonly kind: 'scalar';
  readonly scalar: Scalar;
  /** As Go prints it in an error: `int32`, `v1.PullPolicy`, `resource.Quantity`. */
  readonly goName: string;
}

export interface GoStruct {
  readonly kind: 'struct';
  /** The key of its definition, as `core/v1.PodSpec`. */
  readonly definition: string;
  readonly goName: string;
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

/** Everything that is not built from other types here, including the types that decode themselves. */
export type Scalar = keyof typeof scalarGoNames;

const scalarGoNames = {
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
 * string with a name, `#v1.ResourceList=map[…]Quantity` another type with a name.
 */
export function parseGoType(text: string): GoType {
  if (text.startsWith('*')) {
    const to = parseGoType(text.slice(1));
    return { kind: 'pointer', to, goName: `*${to.goName}` };
  }
  if (text.startsWith('[]')) {
    const element = parseGoType(text.slice(2));
    return { kind: 'list', element, goName: `[]${element.goName}` };
  }
  if (text.startsWith('map[')) {
    const end = text.indexOf(']');
    const key = text.slice('map['.length, end).replace('#', '');
    const value = parseGoType(text.slice(end + 1));
    return { kind: 'map', value, goName: `map[${key}]${value.goName}` };
  }
  if (text.startsWith('#')) {
    const equals = text.indexOf('=');
    if (equals < 0) return { kind: 'scalar', scalar: 'string', goName: text.slice(1) };
    return { ...parseGoType(text.slice(equals + 1)), goName: text.slice(1, equals) };
  }
  if (isScalar(text)) return { kind: 'scalar', scalar: text, goName: scalarGoNames[text] };
  return { kind: 'struct', definition: text, goName: text.slice(text.indexOf('/') + 1) };
}

function isScalar(name: string): name is Scalar {
  return Object.hasOwn(scalarGoNames, name);
}
