import { type FieldError, type FieldPath, forbidden, invalid } from '@tektite/meta';
import type { MetadataRules } from '../embedded-resource.ts';
import type { JsonSchema } from '../structural-schema.ts';
import { append } from './append.ts';
import { checkDefaults } from './default-check.ts';
import { internalSchema } from './internal-form.ts';
import { type RawSchema, schemaHas } from './raw-schema.ts';
import { checkSchema, type SchemaCheckOptions } from './schema-check.ts';
import { checkStructural } from './structural-check.ts';

export interface OpenApiCheckOptions extends SchemaCheckOptions {
  readonly requireStructural: boolean;
  readonly requirePrunedDefaults: boolean;
}

/** Keywords that survive when the schema of the status is taken out of the whole. */
const allowedAtRoot =
  'Description Type Format Title Maximum ExclusiveMaximum Minimum ExclusiveMinimum MaxLength MinLength Pattern MaxItems MinItems UniqueItems MultipleOf Required Items Properties ExternalDocs Example XPreserveUnknownFields XValidations';

/** Everything that is wrong with the schema of a version. */
export function checkOpenApiSchema(
  schema: RawSchema,
  hasStatus: boolean,
  path: FieldPath,
  options: OpenApiCheckOptions,
  metadata: MetadataRules,
): FieldError[] {
  const at = path.child('openAPIV3Schema');
  const errors = hasStatus ? checkRootKeywords(schema, path) : [];
  if (schema.nullable)
    errors.push(forbidden(path.child('openAPIV3Schema.nullable'), 'nullable cannot be true at the root'));
  let compile = false;
  if (isReadable(schema)) {
    const structural = options.requireStructural ? checkStructural(schema, at) : [];
    const defaults =
      structural.length === 0 ? checkDefaults(schema as JsonSchema, at, metadata, options.requirePrunedDefaults) : [];
    append(errors, structural);
    append(errors, defaults);
    compile = structural.length === 0 && defaults.length === 0;
  }
  append(errors, checkSchema(schema, at, options, compile));
  return errors;
}

/** Schemas with keywords that have no place in a structural schema are not validated as one. */
function isReadable(schema: RawSchema): boolean {
  return !schemaHas(
    schema,
    (each) =>
      Boolean(each.id || each.$schema || each.$ref) ||
      hasKeys(each.patternProperties) ||
      hasKeys(each.dependencies) ||
      hasKeys(each.definitions) ||
      each.additionalItems !== undefined ||
      (Array.isArray(each.items) && each.items.length > 0) ||
      each['x-kubernetes-preserve-unknown-fields'] === false,
  );
}

function hasKeys(map: object | undefined): boolean {
  return map !== undefined && map !== null && Object.keys(map).length > 0;
}

function checkRootKeywords(schema: RawSchema, path: FieldPath): FieldError[] {
  const allowed = allowedAtRoot.split(' ');
  // The large part below is not needed here.
  const { properties: _, items: __, ...root } = schema;
  for (const [keyword, value] of Object.entries(internalSchema(root) as Record<string, unknown>)) {
    if (value === null || value === '' || value === false) continue;
    if (keyword === 'Type' && value !== 'object') {
      const detail =
        'only "object" is allowed as the type at the root of the schema if the status subresource is enabled';
      return [invalid(path.child('openAPIV3Schema.type'), value, detail)];
    }
    if (allowed.includes(keyword)) continue;
    const detail = `only [${allowedAtRoot}] fields are allowed at the root of the schema if the status subresource is enabled`;
    return [invalid(path.child('openAPIV3Schema'), internalSchema(schema), detail)];
  }
  return [];
}
