import type { InstallerDialect, InstallReport, InventoryEntry } from '@tektite/installer';
import { formatTime } from '@tektite/meta';
import { objectsOf } from '../../installer-set/shared-objects.ts';
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

/** The Events of an installation: a Deployment that is recreated is reported. */
export function installEvents(changes: InstallReport['changes']) {
  return changes.flatMap(({ object, action }) =>
    action === 'deleted' && object.kind === 'Deployment'
      ? [
          {
            type: 'Warning',
            reason: 'DeploymentRemoved',
            message: `the Deployment ${object.name} could not make its Pods; it is recreated`,
          } as const,
        ]
      : [],
  );
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
