import { stringifyJson } from '@tektite/meta';
import type { JsonSchema } from '@tektite/schema';

type Element = Readonly<Record<string, unknown>>;

/** The fields that identify the elements of a list; undefined for atomic lists. */
export function listKeys(schema: JsonSchema | undefined): readonly string[] | undefined {
  if (schema?.['x-kubernetes-list-type'] === 'map') return schema['x-kubernetes-list-map-keys'];
  if (schema?.['x-kubernetes-list-type'] === 'atomic') return undefined;
  const key = schema?.['x-kubernetes-patch-merge-key'];
  return key === undefined ? undefined : [key];
}

/**
 * Which element: equal texts for equal keys, with the defaults of those that are left out. Undefined when the list cannot be taken
 * apart: an element is no object, has no key, or two have the same.
 */
export function byKey(
  list: readonly unknown[],
  keys: readonly string[],
  schema: JsonSchema | undefined,
): Map<string, number> | undefined {
  const found = new Map<string, number>();
  for (const [index, element] of list.entries()) {
    if (!isRecord(element)) return undefined;
    const key = elementKey(element, keys, schema?.items);
    if (key === undefined || found.has(key)) return undefined;
    found.set(key, index);
  }
  return found;
}

export function elementKey(
  element: Element,
  keys: readonly string[],
  schema: JsonSchema | undefined,
): string | undefined {
  const values: unknown[] = [];
  for (const key of keys) {
    const value = (Object.hasOwn(element, key) ? element[key] : undefined) ?? propertySchema(schema, key)?.default;
    if (value === undefined || value === null || typeof value === 'object') return undefined;
    values.push(value);
  }
  return stringifyJson(values);
}

/** The schema of a field; undefined where nothing is known about it. */
export function propertySchema(schema: JsonSchema | undefined, name: string): JsonSchema | undefined {
  const { properties, additionalProperties } = schema ?? {};
  if (properties && Object.hasOwn(properties, name)) return properties[name];
  return typeof additionalProperties === 'object' ? additionalProperties : undefined;
}

export function isRecord(value: unknown): value is Element {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
