import type { GoScalar, GoType } from '@tektite/go';
import type { GroupVersionKind } from '@tektite/meta';
import {
  type Definition,
  type Descriptions,
  enumOf,
  type FieldDefinition,
  openApiName,
} from '@tektite/schema/kubernetes';
import { type OpenApiSchema, refTo } from './open-api-schema.ts';
import { scalarSchema } from './scalar-components.ts';

/** A built-in type as a component. `kinds` are the kinds it stands for, none for a part of others. */
export function definitionComponent(
  definition: Definition,
  descriptions: Descriptions,
  kinds: readonly GroupVersionKind[],
): OpenApiSchema {
  const properties: Record<string, OpenApiSchema> = {};
  const isList = kinds.some(({ kind }) => kind.endsWith('List'));
  for (const field of definition.fields)
    properties[field.name] = fieldSchema(
      definition.key,
      field,
      descriptions[field.name],
      isList && field.name === 'items',
    );
  const required = definition.fields.filter((field) => field.required).map((field) => field.name);
  return {
    ...described(descriptions['']),
    type: 'object',
    ...(required.length > 0 ? { required } : {}),
    ...(definition.fields.length > 0 ? { properties } : {}),
    ...(definition.atomic ? { 'x-kubernetes-map-type': 'atomic' } : {}),
    ...(kinds.length > 0 ? { 'x-kubernetes-group-version-kind': kinds } : {}),
  };
}

function fieldSchema(
  owner: string,
  field: FieldDefinition,
  description: string | undefined,
  isItems: boolean,
): OpenApiSchema {
  const { schema, zero } = valueSchema(owner, field.type);
  const value = field.default ?? (field.always || isStruct(field.type) ? zero : undefined);
  const more: OpenApiSchema = {
    ...described(description),
    ...(value === undefined ? {} : { default: value }),
    ...mergeRules(field, isItems),
  };
  if (schema.$ref === undefined) return { ...schema, ...more };
  // Nothing may stand beside a reference.
  return Object.keys(more).length === 0 ? schema : { allOf: [schema], ...more };
}

function mergeRules(field: FieldDefinition, isItems: boolean): OpenApiSchema {
  const isList = field.type.kind === 'list';
  return {
    ...(isList && !isItems ? { 'x-kubernetes-list-type': field.listType ?? 'atomic' } : {}),
    ...(field.mapKeys ? { 'x-kubernetes-list-map-keys': field.mapKeys } : {}),
    ...(field.atomic ? { 'x-kubernetes-map-type': 'atomic' } : {}),
    ...(field.patchStrategy ? { 'x-kubernetes-patch-strategy': field.patchStrategy } : {}),
    ...(field.patchMergeKey ? { 'x-kubernetes-patch-merge-key': field.patchMergeKey } : {}),
  };
}

/**
 * The schema of a type and the zero value that OpenAPI states as its default; pointers, lists and maps have none. `owner` is the key of the
 * definition that has the field.
 */
function valueSchema(owner: string, type: GoType): { readonly schema: OpenApiSchema; readonly zero?: unknown } {
  switch (type.kind) {
    case 'pointer':
      return { schema: valueSchema(owner, type.to).schema };
    case 'struct':
      return { schema: refTo(openApiName(type.definition)), zero: {} };
    case 'scalar':
      return namedSchema(owner, type);
    case 'list':
      return { schema: { type: 'array', items: elementSchema(owner, type.element) } };
    case 'map':
      return { schema: { type: 'object', additionalProperties: elementSchema(owner, type.value) } };
  }
}

function namedSchema(owner: string, { scalar, goName }: GoScalar): ReturnType<typeof scalarSchema> {
  const found = scalarSchema(scalar);
  const values = scalar === 'string' ? enumOf(owner, goName) : undefined;
  return values ? { ...found, schema: { ...found.schema, enum: values } } : found;
}

function elementSchema(owner: string, type: GoType): OpenApiSchema {
  const { schema, zero } = valueSchema(owner, type);
  if (zero === undefined) return schema;
  return schema.$ref === undefined ? { ...schema, default: zero } : { allOf: [schema], default: zero };
}

function isStruct(type: GoType): boolean {
  return type.kind === 'struct';
}

export function described(description: string | undefined): { readonly description?: string } {
  return description ? { description } : {};
}
