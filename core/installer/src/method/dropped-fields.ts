import type { DynamicObject } from '@tektite/meta';
import type { JsonSchema } from '@tektite/schema';
import { fieldIn, type FieldPlace } from './compare-fields.ts';
import type { Difference } from './install-method.ts';
import { elementKey, isRecord, listKeys, propertySchema } from './keyed-list.ts';

/** The fields that `manager` applied the last time, as the server keeps them; undefined when it never did. */
export function appliedFields(live: DynamicObject, manager: string): Readonly<Record<string, unknown>> | undefined {
  const own = live.metadata.managedFields?.find(
    (entry) => entry.manager === manager && entry.operation === 'Apply' && !entry.subresource,
  );
  return own?.fieldsV1;
}

/**
 * The fields that were applied the last time and are no longer desired. `owned` is a part of {@link appliedFields}:
 * `f:name` is a field, `k:{…}` an element of a list by its key.
 */
export function droppedFields(
  owned: unknown,
  wanted: unknown,
  schema: JsonSchema | undefined,
  place: FieldPlace,
): readonly Difference[] {
  if (!isRecord(owned)) return [];
  return Object.keys(owned).flatMap((step) => {
    if (step.startsWith('f:')) {
      const key = step.slice(2);
      const inside = fieldIn(place, key);
      const value = isRecord(wanted) && Object.hasOwn(wanted, key) ? wanted[key] : undefined;
      if (value === undefined || value === null) return [{ path: inside.path, why: 'dropped' } satisfies Difference];
      return droppedFields(owned[step], value, propertySchema(schema, key), inside);
    }
    if (!step.startsWith('k:') || !Array.isArray(wanted)) return [];
    const element = elementFor(step.slice(2), wanted, schema);
    if (element === undefined)
      return [{ path: `${place.path}[${step.slice(2)}]`, why: 'dropped' } satisfies Difference];
    return droppedFields(owned[step], withKeys(element, step.slice(2)), schema?.items, {
      path: `${place.path}[${step.slice(2)}]`,
      pointer: '',
    });
  });
}

function elementFor(keyText: string, wanted: readonly unknown[], schema: JsonSchema | undefined): unknown {
  const key = parseKey(keyText);
  const keys = listKeys(schema) ?? Object.keys(key ?? {});
  const text = key && elementKey(key, keys, schema?.items);
  return wanted.find((each) => isRecord(each) && elementKey(each, keys, schema?.items) === text);
}

/** The fields of a key are always owned, also where a default was meant. */
function withKeys(element: unknown, keyText: string): unknown {
  return { ...parseKey(keyText), ...(element as object) };
}

function parseKey(text: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const key: unknown = JSON.parse(text);
    return isRecord(key) ? key : undefined;
  } catch {
    return undefined;
  }
}
