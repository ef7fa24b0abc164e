import { equalJson, type KubeObject, type ManagedFieldsEntry } from '@tektite/meta';

/**
 * Whether two states of an object differ in nothing but the times of its managed fields. Such a write is none: an apply of what
 * is there already does not move the resourceVersion. Entries are compared in their order, as upstream does.
 */
export function equalButForTimes(a: KubeObject, b: KubeObject): boolean {
  const left = a.metadata.managedFields ?? [];
  const right = b.metadata.managedFields ?? [];
  if (left.length === 0 || left.length !== right.length) return false;
  for (let index = 0; index < left.length; index++)
    if (!equalJson(withoutTime(left[index]), withoutTime(right[index]))) return false;
  return equalJson(withoutManagedFields(a), withoutManagedFields(b));
}

function withoutTime(entry: ManagedFieldsEntry | undefined): object {
  const { time: _, ...rest } = entry ?? {};
  return rest;
}

function withoutManagedFields(object: KubeObject): object {
  const { managedFields: _, ...metadata } = object.metadata;
  return { ...object, metadata };
}
