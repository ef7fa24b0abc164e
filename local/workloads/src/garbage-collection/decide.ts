import type { OwnerReference } from '@tektite/meta';
import {
  blockingDependents,
  foregroundFinalizer,
  type GraphNode,
  hasFinalizer,
  type ObjectMetadata,
  orphanFinalizer,
} from './graph-node.ts';

/** How an owner is found: alive, not there (any more), or on its way out and waiting for its dependents. */
export type OwnerState = 'solid' | 'absent' | 'waiting';

export type Collection =
  | { readonly type: 'keep' }
  /** Others own it still: it stays, and forgets these. */
  | { readonly type: 'forgetOwners'; readonly uids: ReadonlySet<string> }
  | {
      readonly type: 'delete';
      readonly propagationPolicy: 'Orphan' | 'Background' | 'Foreground';
      /** First stop blocking the owners: there is a circle that would wait for itself for ever. */
      readonly unblock: boolean;
    };

/** Decides what happens to an object with owners, given the state of these owners. */
export function collect(
  node: GraphNode,
  live: ObjectMetadata,
  stateOf: (reference: OwnerReference) => OwnerState,
): Collection {
  const references = live.metadata.ownerReferences ?? [];
  const lost = references.filter((reference) => stateOf(reference) !== 'solid');
  if (lost.length === 0) return { type: 'keep' };
  if (lost.length < references.length) return { type: 'forgetOwners', uids: new Set(lost.map(({ uid }) => uid)) };
  const awaited = lost.some((reference) => stateOf(reference) === 'waiting');
  if (awaited && node.dependents.size > 0) {
    const circle = [...node.dependents].some(({ deletingDependents }) => deletingDependents);
    return { type: 'delete', propagationPolicy: 'Foreground', unblock: circle };
  }
  return { type: 'delete', propagationPolicy: ownPolicy(live), unblock: false };
}

/** Who asked before has left a finalizer; an object without one is not waited for. */
function ownPolicy({ metadata }: ObjectMetadata): 'Orphan' | 'Background' | 'Foreground' {
  if (hasFinalizer(metadata, orphanFinalizer)) return 'Orphan';
  return hasFinalizer(metadata, foregroundFinalizer) ? 'Foreground' : 'Background';
}

/**
 * Decides for an object in foreground deletion: delete it, or enqueue the dependents that are not being deleted yet.
 */
export function awaitDependents(node: GraphNode): { readonly free: boolean; readonly enqueue: readonly string[] } {
  const blocking = blockingDependents(node);
  const enqueue = blocking.filter(({ deletingDependents }) => !deletingDependents).map(({ identity }) => identity.uid);
  return { free: blocking.length === 0, enqueue };
}

/** The references that are left; null removes the field. */
export function referencesWithout(
  { metadata }: ObjectMetadata,
  uids: ReadonlySet<string>,
): readonly OwnerReference[] | null {
  const left = (metadata.ownerReferences ?? []).filter(({ uid }) => !uids.has(uid));
  return left.length > 0 ? left : null;
}

export function unblockedReferences({ metadata }: ObjectMetadata): readonly OwnerReference[] {
  return (metadata.ownerReferences ?? []).map((reference) =>
    reference.blockOwnerDeletion ? { ...reference, blockOwnerDeletion: false } : reference,
  );
}
