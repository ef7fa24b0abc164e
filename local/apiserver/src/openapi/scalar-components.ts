import type { Scalar } from '@tektite/go';
import { type OpenApiSchema, refTo } from './open-api-schema.ts';

const meta = 'io.k8s.apimachinery.pkg.apis.meta.v1';
const extensions = 'io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1';

export const patchComponent = `${meta}.Patch`;

/** The components of types that are no structs but have a separate name in OpenAPI. */
export const scalarComponents: ReadonlyMap<string, OpenApiSchema> = new Map<string, OpenApiSchema>([
  [`${meta}.Time`, { type: 'string', format: 'date-time' }],
  [`${meta}.MicroTime`, { type: 'string', format: 'date-time' }],
  [`${meta}.FieldsV1`, { type: 'object' }],
  [patchComponent, { type: 'object' }],
  ['io.k8s.apimachinery.pkg.api.resource.Quantity', { oneOf: [{ type: 'string' }, { type: 'number' }] }],
  [
    'io.k8s.apimachinery.pkg.util.intstr.IntOrString',
    { format: 'int-or-string', oneOf: [{ type: 'integer' }, { type: 'string' }] },
  ],
  ['io.k8s.apimachinery.pkg.runtime.RawExtension', { type: 'object' }],
  [`${extensions}.JSON`, {}],
  [`${extensions}.JSONSchemaPropsOrArray`, {}],
  [`${extensions}.JSONSchemaPropsOrBool`, {}],
  [`${extensions}.JSONSchemaPropsOrStringArray`, {}],
]);

const referred: Readonly<Partial<Record<Scalar, OpenApiSchema>>> = {
  Time: refTo(`${meta}.Time`),
  MicroTime: refTo(`${meta}.MicroTime`),
  FieldsV1: refTo(`${meta}.FieldsV1`),
  Quantity: refTo('io.k8s.apimachinery.pkg.api.resource.Quantity'),
  IntOrString: refTo('io.k8s.apimachinery.pkg.util.intstr.IntOrString'),
  RawExtension: refTo('io.k8s.apimachinery.pkg.runtime.RawExtension'),
  JSON: refTo(`${extensions}.JSON`),
  JSONSchemaPropsOrArray: refTo(`${extensions}.JSONSchemaPropsOrArray`),
  JSONSchemaPropsOrBool: refTo(`${extensions}.JSONSchemaPropsOrBool`),
  JSONSchemaPropsOrStringArray: refTo(`${extensions}.JSONSchemaPropsOrStringArray`),
};

const plain: Readonly<Partial<Record<Scalar, { readonly schema: OpenApiSchema; readonly zero?: unknown }>>> = {
  string: { schema: { type: 'string' }, zero: '' },
  bool: { schema: { type: 'boolean' }, zero: false },
  int32: { schema: { type: 'integer', format: 'int32' }, zero: 0 },
  int64: { schema: { type: 'integer', format: 'int64' }, zero: 0 },
  float64: { schema: { type: 'number', format: 'double' }, zero: 0 },
  bytes: { schema: { type: 'string', format: 'byte' } },
};

/** The schema of a scalar and, where OpenAPI states it, its zero value. */
export function scalarSchema(scalar: Scalar): { readonly schema: OpenApiSchema; readonly zero?: unknown } {
  return plain[scalar] ?? { schema: referred[scalar] as OpenApiSchema };
}
