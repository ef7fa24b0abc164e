import type { DynamicObject } from '@tektite/meta';
import { parseApiVersion } from '@tektite/meta';
import type { JsonSchema } from '@tektite/schema';
import { findBuiltinKind } from '@tektite/schema/kubernetes';
import { applyMergePatch, applyStrategicMergePatch } from '@tektite/schema/patch';
import { childOf, isMapping } from '../field-value.ts';

type Fields = Readonly<Record<string, unknown>>;

/** The schema with the merge strategies of a kind; undefined for kinds that only support JSON merge patches. */
export function mergeSchema({ apiVersion, kind }: Pick<DynamicObject, 'apiVersion' | 'kind'>): JsonSchema | undefined {
  const { group, version } = parseApiVersion(apiVersion) ?? { group: '', version: '' };
  return findBuiltinKind(group, version, kind)?.schema;
}

/**
 * The result of a client-side apply: desired fields are set, fields that were applied before and are no longer desired
 * are removed, and all else stays. Lists merge by their keys where the kind is built in, and are replaced elsewhere.
 */
export function threeWayMerge(before: Fields | undefined, wanted: DynamicObject, live: DynamicObject): DynamicObject {
  const schema = mergeSchema(wanted);
  if (!schema) return applyMergePatch(live, withRemovals(before ?? {}, wanted)) as DynamicObject;
  return applyStrategicMergePatch(schema, live, strategicPatch(schema, before ?? {}, wanted)) as DynamicObject;
}

/** The desired fields, with nulls for fields that were applied before and are no longer desired. */
function withRemovals(before: Fields, wanted: Fields): Fields {
  const patch: Record<string, unknown> = { ...wanted };
  for (const key of Object.keys(before)) {
    const [old, now] = [childOf(before, key), childOf(wanted, key)];
    if (now === undefined) set(patch, key, null);
    else if (isMapping(old) && isMapping(now)) set(patch, key, withRemovals(old, now));
  }
  return patch;
}

function strategicPatch(schema: JsonSchema | undefined, before: Fields, wanted: Fields): Fields {
  const patch: Record<string, unknown> = {};
  for (const key of new Set([...Object.keys(wanted), ...Object.keys(before)])) {
    const [old, now] = [childOf(before, key), childOf(wanted, key)];
    const property = propertyOf(schema, key);
    if (now === undefined) set(patch, key, null);
    else if (isMapping(now)) set(patch, key, strategicPatch(property, isMapping(old) ? old : {}, now));
    else if (Array.isArray(now) && isMerged(property))
      mergeList(patch, key, property, Array.isArray(old) ? old : [], now);
    else set(patch, key, now);
  }
  return patch;
}

function mergeList(
  patch: Record<string, unknown>,
  name: string,
  schema: JsonSchema,
  before: readonly unknown[],
  wanted: readonly unknown[],
): void {
  const key = schema['x-kubernetes-patch-merge-key'];
  if (key === undefined || !wanted.every(isMapping)) {
    const gone = before.filter((each) => !wanted.includes(each));
    set(patch, name, wanted);
    if (gone.length > 0) patch[`$deleteFromPrimitiveList/${name}`] = gone;
    return;
  }
  const find = (list: readonly unknown[], value: unknown) =>
    list.find((each) => isMapping(each) && each[key] === value);
  const items = typeof schema.items === 'object' ? (schema.items as JsonSchema) : undefined;
  const elements = wanted.map((each) => {
    const old = find(before, (each as Fields)[key]);
    return strategicPatch(items, isMapping(old) ? old : {}, each as Fields);
  });
  const gone = before
    .filter((each) => isMapping(each) && find(wanted, each[key]) === undefined)
    .map((each) => ({ $patch: 'delete', [key]: (each as Fields)[key] }));
  set(patch, name, [...elements, ...gone]);
}

function isMerged(schema: JsonSchema | undefined): schema is JsonSchema {
  return schema?.['x-kubernetes-patch-strategy']?.split(',').includes('merge') ?? false;
}

function propertyOf(schema: JsonSchema | undefined, name: string): JsonSchema | undefined {
  const property = childOf(schema?.properties, name) ?? schema?.additionalProperties;
  return isMapping(property) ? (property as JsonSchema) : undefined;
}

function set(target: Record<string, unknown>, key: string, value: unknown): void {
  Object.defineProperty(target, key, { value, enumerable: true, configurable: true, writable: true });
}
