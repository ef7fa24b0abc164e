import type { ManagedFieldsEntry } from '@tektite/meta';
import { type FieldSet, hasMember, isEmptySet, setOf, subtractSets } from '../../apply/field-set.ts';
import { managerKey, type Managers, readManagers, writeManagers } from '../../apply/managed-fields.ts';

type Entries = readonly ManagedFieldsEntry[] | undefined;

const scaleVersion = 'autoscaling/v1';
const scaleReplicas: FieldSet = setOf(['f:spec', 'f:replicas']);

/** Where an object has its number of replicas, as path elements of managedFields. */
export type ReplicasPath = readonly string[];

/** `.spec.replicas` as path elements. */
export function replicasPathOf(jsonPath: string): ReplicasPath {
  return jsonPath
    .split('.')
    .filter((name) => name !== '')
    .map((name) => `f:${name}`);
}

/** The owners of an object's replicas, as owners of the replicas of its Scale. */
export function toScaleOwners(entries: Entries, path: ReplicasPath): ManagedFieldsEntry[] {
  const owners: Managers = new Map();
  for (const [key, entry] of readManagers(entries))
    if (hasMember(entry.set, path)) owners.set(key, { ...entry, apiVersion: scaleVersion, set: scaleReplicas });
  return writeManagers(owners);
}

/**
 * The owners of an object once its Scale has these: replicas go to their owners in the Scale.
 *
 * Upstream compares managers by a key that has the version of updates in it, which is another one for a Scale. So a
 * manager that keeps its replicas by an update gets a second entry for them, without a time.
 */
export function toParentOwners(
  entries: Entries,
  scaleEntries: Entries,
  apiVersion: string,
  path: ReplicasPath,
): ManagedFieldsEntry[] {
  const scaleOwners = readManagers(scaleEntries);
  const replicas = setOf([...path]);
  const owners: Managers = new Map();
  for (const [key, entry] of readManagers(entries)) {
    if (!hasMember(entry.set, path)) owners.set(key, entry);
    else if (scaleOwners.delete(key)) owners.set(key, entry);
    else {
      const set = subtractSets(entry.set, replicas);
      if (!isEmptySet(set)) owners.set(key, { ...entry, set });
    }
  }
  for (const owner of scaleOwners.values()) {
    if (!hasMember(owner.set, ['f:spec', 'f:replicas'])) continue;
    const entry = { ...owner, apiVersion, time: undefined, set: replicas };
    owners.set(`scale\n${managerKey(entry)}`, entry);
  }
  return writeManagers(owners);
}
