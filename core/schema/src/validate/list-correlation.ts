import { stringifyJson } from '@tektite/meta';
import type { JsonSchema } from '../structural-schema.ts';

/**
 * Finds, for elements of a new list, the element of the old list that they continue. Only elements of a list-map can be
 * correlated, by their keys; elements of other lists have no identity.
 */
export function correlateList(schema: JsonSchema, old: readonly unknown[]): ((item: unknown) => unknown) | undefined {
  const keys = schema['x-kubernetes-list-map-keys'];
  if (schema['x-kubernetes-list-type'] !== 'map' || !keys || keys.length === 0) return undefined;
  let index: Map<string, unknown> | undefined;
  return (item) => {
    const key = listMapKey(item, keys);
    if (key === undefined) return undefined;
    if (!index) {
      index = new Map();
      for (const element of old) {
        const oldKey = listMapKey(element, keys);
        if (oldKey !== undefined && !index.has(oldKey)) index.set(oldKey, element);
      }
    }
    return index.get(key);
  };
}

/** The values of an element's keys as one string; `undefined` for what is not an object. */
export function listMapKey(item: unknown, keys: readonly string[]): string | undefined {
  if (typeof item !== 'object' || item === null || Array.isArray(item)) return undefined;
  const fields = item as Record<string, unknown>;
  return stringifyJson(keys.map((key) => (Object.hasOwn(fields, key) ? [fields[key]] : [])));
}
