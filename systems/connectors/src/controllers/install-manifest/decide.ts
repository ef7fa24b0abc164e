import { type Condition, findCondition, isConditionTrue } from '@tektite/meta';
import type { InstallManifest } from '../../kinds/install-manifest.ts';

/** The first InstallManifest that has to be ready and is not. */
export function unreadyDependency(found: ReadonlyMap<string, InstallManifest | undefined>): string | undefined {
  return [...found].find(([, manifest]) => !isReady(manifest))?.[0];
}

function isReady(manifest: InstallManifest | undefined): boolean {
  if (!manifest || manifest.metadata.deletionTimestamp) return false;
  const { observedGeneration, conditions } = manifest.status ?? {};
  return observedGeneration === manifest.metadata.generation && isConditionTrue(conditions, 'Ready');
}

/** The reason of an InstallManifest that recreates what others deleted. */
export const objectRecreated = 'ObjectRecreated';

/**
 * The Event of a change of the Ready condition. A wait for another InstallManifest is no event: it is part of every
 * installation. Recreated objects have an Event each.
 */
export function readyEvent(before: readonly Condition[] | undefined, after: readonly Condition[] | undefined) {
  const ready = findCondition(after, 'Ready');
  if (!ready || ready.status === 'Unknown') return undefined;
  if (ready.reason === 'WaitingForDependency' || ready.reason === objectRecreated) return undefined;
  if (ready.reason === findCondition(before, 'Ready')?.reason) return undefined;
  return {
    type: ready.status === 'True' ? 'Normal' : 'Warning',
    reason: ready.reason ?? ready.status,
    message: ready.message || 'everything is installed',
  } as const;
}
