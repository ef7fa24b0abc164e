import type { JsonSchema } from '../structural-schema.ts';

/**
 * A schema as a user may write it: with keywords that OpenAPI knows and Kubernetes refuses, and with lists and booleans
 * where a schema should be.
 */
export interface RawSchema
  extends Omit<JsonSchema, 'items' | 'properties' | 'additionalProperties' | 'allOf' | 'anyOf' | 'oneOf' | 'not'> {
  readonly items?: RawSchema | readonly RawSchema[];
  readonly properties?: Readonly<Record<string, RawSchema>>;
  readonly additionalProperties?: RawSchema | boolean;
  readonly allOf?: readonly RawSchema[];
  readonly anyOf?: readonly RawSchema[];
  readonly oneOf?: readonly RawSchema[];
  readonly not?: RawSchema;
  readonly patternProperties?: Readonly<Record<string, RawSchema>>;
  readonly definitions?: Readonly<Record<string, RawSchema>>;
  readonly dependencies?: Readonly<Record<string, RawSchema | readonly string[]>>;
  readonly additionalItems?: RawSchema | boolean;
}

/** The schema of the elements, when it is one schema. */
export function itemSchema({ items }: RawSchema): RawSchema | undefined {
  return items && !isList(items) ? items : undefined;
}

/** The schemas of the elements, when each has its own. */
export function itemSchemas({ items }: RawSchema): readonly RawSchema[] {
  return items && isList(items) ? items : [];
}

function isList(items: RawSchema | readonly RawSchema[]): items is readonly RawSchema[] {
  return Array.isArray(items);
}

/** The schema of the values of a map. */
export function valueSchema({ additionalProperties }: RawSchema): RawSchema | undefined {
  return typeof additionalProperties === 'object' ? additionalProperties : undefined;
}

/** Whether the predicate holds for the schema or anything below it. Schemas of definitions are trees, and large ones: nothing is made here. */
export function schemaHas(schema: RawSchema | undefined, predicate: (schema: RawSchema) => boolean): boolean {
  if (!schema) return false;
  if (predicate(schema)) return true;
  const { items, properties, additionalProperties, additionalItems, dependencies } = schema;
  if (items && (isList(items) ? listHas(items, predicate) : schemaHas(items, predicate))) return true;
  if (listHas(schema.allOf, predicate) || listHas(schema.anyOf, predicate) || listHas(schema.oneOf, predicate))
    return true;
  if (schema.not && schemaHas(schema.not, predicate)) return true;
  if (typeof additionalProperties === 'object' && schemaHas(additionalProperties, predicate)) return true;
  if (mapHas(properties, predicate) || mapHas(schema.patternProperties, predicate)) return true;
  if (mapHas(schema.definitions, predicate)) return true;
  if (typeof additionalItems === 'object' && schemaHas(additionalItems, predicate)) return true;
  return (
    dependencies !== undefined &&
    Object.values(dependencies).some((each) => !Array.isArray(each) && schemaHas(each as RawSchema, predicate))
  );
}

function listHas(schemas: readonly RawSchema[] | undefined, predicate: (schema: RawSchema) => boolean): boolean {
  return schemas?.some((each) => schemaHas(each, predicate)) ?? false;
}

function mapHas(
  schemas: Readonly<Record<string, RawSchema>> | undefined,
  predicate: (schema: RawSchema) => boolean,
): boolean {
  if (!schemas) return false;
  for (const name of Object.keys(schemas)) if (schemaHas(schemas[name], predicate)) return true;
  return false;
}
