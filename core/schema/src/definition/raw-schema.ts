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

/** Whether the predicate holds for the schema or anything below it. Schemas of definitions are trees. */
export function schemaHas(schema: RawSchema | undefined, predicate: (schema: RawSchema) => boolean): boolean {
  if (!schema) return false;
  if (predicate(schema)) return true;
  return [...below(schema)].some((child) => schemaHas(child, predicate));
}

function* below(schema: RawSchema): Iterable<RawSchema | undefined> {
  yield itemSchema(schema);
  yield* itemSchemas(schema);
  yield* schema.allOf ?? [];
  yield* schema.anyOf ?? [];
  yield* schema.oneOf ?? [];
  yield schema.not;
  yield valueSchema(schema);
  for (const map of [schema.properties, schema.patternProperties, schema.definitions]) yield* Object.values(map ?? {});
  if (typeof schema.additionalItems === 'object') yield schema.additionalItems;
  for (const dependency of Object.values(schema.dependencies ?? {}))
    if (!Array.isArray(dependency)) yield dependency as RawSchema;
}
