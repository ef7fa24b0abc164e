import { cloneJson, setOwn } from '@tektite/meta';
import { schemaSearch } from './schema-search.ts';
import { type JsonSchema, propertySchema } from './structural-schema.ts';

type JsonMap = Record<string, unknown>;

/**
 * Fills in, in place, the defaults of the schema, also inside of defaults. A null where null is not allowed counts as
 * absent.
 */
export function applyDefaults(value: unknown, schema: JsonSchema | undefined): void {
  if (!schema || typeof value !== 'object' || value === null || !mayDefault(schema)) return;
  if (Array.isArray(value)) defaultItems(value, schema.items);
  else defaultFields(value as JsonMap, schema);
}

function defaultFields(value: JsonMap, schema: JsonSchema): void {
  for (const [name, property] of Object.entries(schema.properties ?? {})) {
    if (!hasDefault(property)) continue;
    const absent = !Object.hasOwn(value, name) || value[name] === undefined;
    if (absent || isForbiddenNull(value[name], property)) setOwn(value, name, cloneJson(property.default));
  }
  const rest = additionalObject(schema);
  for (const key of Object.keys(value)) {
    const property = propertySchema(schema, key);
    if (property) applyDefaults(value[key], property);
    else if (rest) {
      if (isForbiddenNull(value[key], rest)) value[key] = cloneJson(rest.default ?? null);
      applyDefaults(value[key], rest);
    }
  }
}

function defaultItems(list: unknown[], items: JsonSchema | undefined): void {
  if (!items) return;
  for (let i = 0; i < list.length; i++) {
    if (isForbiddenNull(list[i], items)) list[i] = cloneJson(items.default ?? null);
    applyDefaults(list[i], items);
  }
}

/**
 * Removes, in place, nulls where null is not allowed and no default would replace them. Elements of lists stay: taking
 * one out would move the others. What is frozen is left as it is.
 */
export function pruneNulls(value: unknown, schema: JsonSchema | undefined): void {
  if (!schema || typeof value !== 'object' || value === null || Object.isFrozen(value)) return;
  if (Array.isArray(value)) {
    if (schema.items) for (const item of value) pruneNulls(item, schema.items);
    return;
  }
  const fields = value as JsonMap;
  const rest = additionalObject(schema);
  for (const key of Object.keys(fields)) {
    const property = propertySchema(schema, key) ?? rest;
    if (property && isForbiddenNull(fields[key], property) && !hasDefault(property)) delete fields[key];
    else pruneNulls(fields[key], property);
  }
}

function hasDefault(schema: JsonSchema): boolean {
  return schema.default !== undefined && schema.default !== null;
}

const isForbiddenNull = (value: unknown, schema: JsonSchema): boolean => value === null && schema.nullable !== true;

function additionalObject({ additionalProperties }: JsonSchema): JsonSchema | undefined {
  return typeof additionalProperties === 'object' ? additionalProperties : undefined;
}

/** Whether there is anything to default at or below this schema; most have nothing, and then values are not visited. */
const mayDefault = schemaSearch(hasDefault);
