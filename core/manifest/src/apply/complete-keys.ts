import { type DynamicObject, parseApiVersion } from '@tektite/meta';
import type { JsonSchema } from '@tektite/schema';
import { findBuiltinKind } from '@tektite/schema/kubernetes';
import { childOf, isMapping } from '../field-value.ts';

/**
 * The object with the keys of list elements that were left out for their defaults, as `protocol: TCP` of ports. Kubernetes before 1.21
 * refuses to apply a Service without; everywhere else it changes nothing. The same object when there is nothing to add.
 */
export function completeKeys(object: DynamicObject): DynamicObject {
  // Definitions are large, and have no such keys.
  if (object.kind === 'CustomResourceDefinition') return object;
  const { group, version } = parseApiVersion(object.apiVersion) ?? { group: '', version: '' };
  const schema = findBuiltinKind(group, version, object.kind)?.schema;
  return schema ? (completed(object, schema) as DynamicObject) : object;
}

function completed(value: unknown, schema: JsonSchema | undefined): unknown {
  if (Array.isArray(value)) return completedList(value, schema);
  if (!isMapping(value) || !schema) return value;
  let copy: Record<string, unknown> | undefined;
  for (const key of Object.keys(value)) {
    const before = value[key];
    if (typeof before !== 'object' || before === null) continue;
    const after = completed(before, propertyOf(schema, key));
    if (after === before) continue;
    copy ??= { ...value };
    Object.defineProperty(copy, key, { value: after, enumerable: true, configurable: true, writable: true });
  }
  return copy ?? value;
}

function completedList(list: readonly unknown[], schema: JsonSchema | undefined): readonly unknown[] {
  const keys = schema?.['x-kubernetes-list-map-keys'] ?? [];
  const result = list.map((element) => completed(withDefaults(element, keys, schema?.items), schema?.items));
  return result.some((element, index) => element !== list[index]) ? result : list;
}

function withDefaults(element: unknown, keys: readonly string[], schema: JsonSchema | undefined): unknown {
  if (!isMapping(element)) return element;
  const missing = keys.filter((key) => !Object.hasOwn(element, key) && propertyOf(schema, key)?.default !== undefined);
  if (missing.length === 0) return element;
  return { ...element, ...Object.fromEntries(missing.map((key) => [key, propertyOf(schema, key)?.default])) };
}

function propertyOf(schema: JsonSchema | undefined, key: string): JsonSchema | undefined {
  const found = childOf(schema?.properties, key) ?? schema?.additionalProperties;
  return isMapping(found) ? (found as JsonSchema) : undefined;
}
