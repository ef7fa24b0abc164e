import { groupKindOf, type ObjectReference } from '@tektite/manifest';
import { type DynamicObject, formatApiVersion, parseApiVersion } from '@tektite/meta';
import type { InventoryEntry } from './installer-set.ts';

/** Equal for entries of the same object, whatever the version. */
export function entryKey({ group, kind, namespace = '', name }: InventoryEntry): string {
  return `${group === '' ? kind : `${kind}.${group}`}/${namespace}/${name}`;
}

export function objectKey(object: DynamicObject): string {
  return `${groupKindOf(object)}/${object.metadata.namespace ?? ''}/${object.metadata.name ?? ''}`;
}

/** The entry of an object: as it is live, or as it is about to be made. */
export function entryOf(object: DynamicObject, hash?: string): InventoryEntry {
  const { group, version } = parseApiVersion(object.apiVersion) ?? { group: '', version: object.apiVersion };
  const { name = '', namespace, uid } = object.metadata;
  return {
    group,
    version,
    kind: object.kind,
    ...(namespace ? { namespace } : {}),
    name,
    ...(uid ? { uid } : {}),
    ...(hash ? { hash } : {}),
  };
}

export function entryReference({ group, version, kind, namespace, name }: InventoryEntry): ObjectReference {
  return { apiVersion: formatApiVersion({ group, version }), kind, name, ...(namespace ? { namespace } : {}) };
}

/**
 * The inventory to write before objects are created: the previous entries and the planned ones. The same list when
 * nothing is new, so that `===` shows whether it has to be written.
 */
export function announced(
  before: readonly InventoryEntry[],
  objects: readonly DynamicObject[],
): readonly InventoryEntry[] {
  const known = new Set(before.map(entryKey));
  const coming = objects.filter((object) => object.metadata.name && !known.has(objectKey(object)));
  return coming.length === 0
    ? before
    : [...before, ...coming.map((object) => entryOf({ ...object, metadata: withoutUid(object) }))];
}

function withoutUid({ metadata }: DynamicObject): DynamicObject['metadata'] {
  const { uid: _, ...rest } = metadata;
  return rest;
}
