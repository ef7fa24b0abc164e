import { isBuiltinComponent } from './builtin-component.ts';
import type { OpenApiSchema } from './open-api-schema.ts';
import { scalarComponents } from './scalar-components.ts';

interface SchemaContext {
  /** Upstream prunes the defaults of built-in types, most of them zero values of Go, and keeps those of CRDs. */
  readonly keepsDefaults: boolean;
}

const custom: SchemaContext = { keepsDefaults: true };
const builtin: SchemaContext = { keepsDefaults: false };

/** A component of version 3 as a definition of version 2. */
export function definitionV2(name: string, schema: OpenApiSchema): OpenApiSchema {
  if (scalarComponents.has(name)) return scalarDefinition(schema);
  const isCustom = !isBuiltinComponent(name);
  // kubectl takes fields beyond listed properties for errors, and so the definition lists none.
  if (isCustom && schema['x-kubernetes-preserve-unknown-fields'] === true)
    return { type: 'object', ...kindsOf(schema) };
  return convertSchema(schema, isCustom ? custom : builtin);
}

/** Version 2 has no alternatives: quantities and IntOrStrings are strings. */
function scalarDefinition({ oneOf, ...schema }: OpenApiSchema): OpenApiSchema {
  return oneOf ? { ...schema, type: 'string' } : schema;
}

function kindsOf(schema: OpenApiSchema): OpenApiSchema {
  const key = 'x-kubernetes-group-version-kind';
  return { [key]: schema[key] };
}

/** The schema of a body: a reference, or a type. */
export function referenceV2(schema: OpenApiSchema): OpenApiSchema {
  return convertSchema(schema, builtin);
}

/**
 * A schema of version 3 in the terms of version 2: references have another address and stand beside other keywords, and
 * there is no `nullable`, `allOf`, `anyOf`, `oneOf` or `not`. Follows the keywords that hold schemas, and nothing else: a
 * property may have the name of a keyword.
 */
function convertSchema(schema: OpenApiSchema, context: SchemaContext): OpenApiSchema {
  const { $ref, allOf, oneOf: _, anyOf: __, not: ___, nullable, ...rest } = schema as KeywordSchema;
  const { properties, items, additionalProperties, required, default: value, ...others } = rest;
  const reference = $ref ?? (allOf?.length === 1 ? allOf[0]?.$ref : undefined);
  const isOpen = schema['x-kubernetes-preserve-unknown-fields'] === true;
  // Older versions of kubectl fail on untyped schemas with properties or items, and on lists without items.
  const keeps = !nullable && !isOpen;
  const kept: KeywordSchema = {
    ...others,
    ...(reference === undefined ? {} : { $ref: reference.replace('#/components/schemas/', '#/definitions/') }),
    ...(value === undefined || !context.keepsDefaults ? {} : { default: value }),
    ...(keeps && properties ? { properties: convertAll(properties, context) } : {}),
    ...(keeps && items ? { items: convertSchema(items, context) } : {}),
    ...(additionalProperties === undefined
      ? {}
      : {
          additionalProperties:
            typeof additionalProperties === 'boolean'
              ? additionalProperties
              : convertSchema(additionalProperties, context),
        }),
    ...requiredOf(required, properties, keeps),
  };
  const isUntyped = nullable || (kept.type === 'array' && kept.items === undefined);
  if (!isUntyped) return kept;
  const { type: ____, ...untyped } = kept;
  return untyped;
}

/** The keywords of CRDs besides those of built-in types. */
interface KeywordSchema extends OpenApiSchema {
  readonly anyOf?: unknown;
  readonly not?: unknown;
  readonly nullable?: boolean;
}

function convertAll(
  properties: Readonly<Record<string, OpenApiSchema>>,
  context: SchemaContext,
): Record<string, OpenApiSchema> {
  return Object.fromEntries(Object.entries(properties).map(([name, each]) => [name, convertSchema(each, context)]));
}

/** Nullable properties are not required in version 2, which cannot express that they may be null. */
function requiredOf(
  required: readonly string[] | undefined,
  properties: OpenApiSchema['properties'],
  keeps: boolean,
): { readonly required?: readonly string[] } {
  const left = required?.filter((name) => !keeps || !(properties?.[name] as KeywordSchema | undefined)?.nullable) ?? [];
  return left.length > 0 ? { required: left } : {};
}
