import type { GoType } from '@tektite/go';
import type { GroupVersionKind } from '@tektite/meta';
import { type Definition, type Descriptions, type FieldDefinition, openApiName } from '@tektite/schema/kubernetes';
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
    properties[field.name] = fieldSchema(field, descriptions[field.name], isList && field.name === 'items');
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

function fieldSchema(field: FieldDefinition, description: string | undefined, isItems: boolean): OpenApiSchema {
  const { schema, zero } = valueSchema(field.type);
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

/** The schema of a type and the zero value that OpenAPI states as its default; pointers, lists and maps have none. */
function valueSchema(type: GoType): { readonly schema: OpenApiSchema; readonly zero?: unknown } {
  switch (type.kind) {
    case 'pointer':
      return { schema: valueSchema(type.to).schema };
    case 'struct':
      return { schema: refTo(openApiName(type.definition)), zero: {} };
    case 'scalar':
      return scalarSchema(type.scalar);
    case 'list':
      return { schema: { type: 'array', items: elementSchema(type.element) } };
    case 'map':
      return { schema: { type: 'object', additionalProperties: elementSchema(type.value) } };
  }
}

function elementSchema(type: GoType): OpenApiSchema {
  const { schema, zero } = valueSchema(type);
  if (zero === undefined) return schema;
  return schema.$ref === undefined ? { ...schema, default: zero } : { allOf: [schema], default: zero };
}

function isStruct(type: GoType): boolean {
  return type.kind === 'struct';
}

export function described(description: string | undefined): { readonly description?: string } {
  return description ? { description } : {};
}
