import type { KubeObject } from '@tektite/meta';
import type { StoredEntry } from '../storage/storage.ts';
import type { ApiResponse } from './api-response.ts';

/** The object of an answer. What comes from the storage as JSON is decoded for it. */
export function objectOf(answer: ApiResponse): unknown {
  if (answer.type === 'stored') return answer.entry.value;
  if (answer.type === 'storedList') {
    const { entries, ...head } = answer.list;
    return { ...head, items: itemsOf(objectsOf(entries)) };
  }
  return answer.type === 'object' ? answer.object : undefined;
}

/** The objects of entries. Lists of the same entries share one array: a list that waits for its reader holds little. */
export function objectsOf(entries: readonly StoredEntry[]): readonly KubeObject[] {
  return memoized(objectLists, entries, () => entries.map(({ value }) => value));
}

/** The items of a built-in list do not repeat their kind, as Go encodes them. */
export function itemsOf(objects: readonly KubeObject[]): readonly object[] {
  return memoized(itemLists, objects, () => objects.map(withoutKind));
}

export function withoutKind({ kind: _, apiVersion: __, ...rest }: KubeObject): object {
  return rest;
}

const objectLists = new WeakMap<readonly StoredEntry[], readonly KubeObject[]>();
const itemLists = new WeakMap<readonly KubeObject[], readonly object[]>();

function memoized<K extends object, V>(known: WeakMap<K, V>, key: K, make: () => V): V {
  let value = known.get(key);
  if (value === undefined) known.set(key, (value = make()));
  return value;
}
