import type { InstallerDialect, InstallReport, InventoryEntry } from '@tektite/installer';
import type { ObjectMetadata } from '@tektite/controller/cache';
import { type DynamicObject, findCondition, formatTime } from '@tektite/meta';
import { keys } from '../../installer-set/set-keys.ts';
import { objectsOf } from '../../installer-set/shared-objects.ts';
import { objectRecreated, recreatedText } from '../../installer-set/tekton-dialect.ts';
import type { TektonInstallerSet } from '../../kinds/kinds.ts';

/** In `status.annotations`: the objects that the set created, so that those which leave it can be deleted. */
const inventoryKey = 'tektite.dev/inventory';

type SetStatus = NonNullable<TektonInstallerSet['status']>;

/** The status with the objects that the set has created. */
export function withInventory(status: SetStatus, inventory: readonly InventoryEntry[]): SetStatus {
  return { ...status, annotations: { ...status.annotations, [inventoryKey]: JSON.stringify(inventory) } };
}

/** The phase of a set whose manifests cannot be read. */
export function manifestsFailure(violation: string) {
  return {
    condition: 'NamespaceScopedResourcesInstalled',
    status: 'False',
    reason: 'Error',
    message: `Install failed with message: ${violation}`,
  } as const;
}

/** The status of a set after its phases. */
export function installedStatus(
  { metadata }: TektonInstallerSet,
  status: SetStatus,
  phases: InstallReport['phases'],
  { conditions }: Pick<InstallerDialect, 'conditions'>,
  now: number,
): SetStatus {
  const updated = conditions.update((status.conditions ?? []) as never, phases, { now: formatTime(now) });
  return { ...status, conditions: updated, observedGeneration: metadata.generation ?? 0 } as SetStatus;
}

/** The Events of an installation: objects that others deleted, and Deployments that are recreated, are reported. */
export function installEvents({ changes, restored }: Pick<InstallReport, 'changes' | 'restored'>) {
  const removed = changes.filter(({ object, action }) => action === 'deleted' && object.kind === 'Deployment');
  const warning = (reason: string, message: string) => ({ type: 'Warning', reason, message }) as const;
  return [
    ...restored.map((object) => warning(objectRecreated, recreatedText(object))),
    ...removed.map(({ object: { name } }) =>
      warning('DeploymentRemoved', `the Deployment ${name} could not make its Pods; it is recreated`),
    ),
  ];
}

/** Conditions have whole seconds: it lasts for one at least, so that the owners of the set see it. */
const unconfirmedMs = 2_000;

/** How long a set is not yet ready again, though it is installed, after an object of it was deleted. */
export function unconfirmedFor({ status }: TektonInstallerSet, now: number): number {
  const ready = findCondition(status?.conditions, 'Ready');
  if (ready?.status !== 'False' || ready.reason !== objectRecreated) return 0;
  const since = Date.parse(ready.lastTransitionTime ?? '');
  return since <= now ? Math.max(0, since + unconfirmedMs - now) : 0;
}

/** Whether the metadata of an object changed so that its set may have to write it: by its hash, or a pending deletion. */
export function concernsSet({ metadata }: ObjectMetadata, { metadata: before }: ObjectMetadata): boolean {
  const hash = keys.lastAppliedHash;
  return (
    metadata.annotations?.[hash] !== before.annotations?.[hash] ||
    metadata.deletionTimestamp !== before.deletionTimestamp
  );
}

/** The entries of objects that stay. A Job with a time to live deletes itself: it is not recreated for that. */
export function lastingEntries(
  inventory: readonly InventoryEntry[],
  objects: readonly DynamicObject[],
): readonly InventoryEntry[] {
  const passing = new Set(
    objects
      .filter(({ kind, spec }) => kind === 'Job' && ttlOf(spec) !== undefined)
      .map(({ metadata: { namespace = '', name = '' } }) => `${namespace}/${name}`),
  );
  return inventory.filter(({ kind, namespace = '', name }) => kind !== 'Job' || !passing.has(`${namespace}/${name}`));
}

function ttlOf(spec: unknown): unknown {
  return (spec as { readonly ttlSecondsAfterFinished?: unknown } | undefined)?.ttlSecondsAfterFinished;
}

/** A set as the engine of the installer takes it. */
export function setOf(set: TektonInstallerSet) {
  const text = set.status?.annotations?.[inventoryKey];
  return { self: set, objects: objectsOf(set), ...(text ? { inventory: readInventory(text) } : {}) };
}

/** It may have been edited: then nothing is known, and nothing is pruned. */
function readInventory(text: string): readonly InventoryEntry[] {
  try {
    const value: unknown = JSON.parse(text);
    return Array.isArray(value) ? (value as readonly InventoryEntry[]) : [];
  } catch {
    return [];
  }
}
