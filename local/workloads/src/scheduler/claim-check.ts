import type { PersistentVolume, PersistentVolumeClaim, Pod, StorageClass } from '@tektite/schema/kubernetes';
import { claimNames } from '../volumes/claim-names.ts';
import { isBound } from '../volumes/decide-claim.ts';
import { matchesTerm } from './node-affinity.ts';
import type { NodeEntry } from './cluster-state.ts';

/** Reads of volumes by the scheduler. */
export interface VolumeLookup {
  claim(namespace: string, name: string): PersistentVolumeClaim | undefined;
  volume(name: string): PersistentVolume | undefined;
  storageClass(name: string): StorageClass | undefined;
}

export interface ClaimCheck {
  /** Why no node will do, whatever its state. */
  readonly message?: string;
  /** The claim that is not found. Caches may not have it yet. */
  readonly missing?: string;
  /** The claim that is not bound, of those that do not wait for a Pod. */
  readonly unbound?: PersistentVolumeClaim;
  /** Claims that get their volume once the Pod's node is known. */
  readonly waiting: readonly PersistentVolumeClaim[];
  readonly volumes: readonly PersistentVolume[];
}

export function checkClaims(pod: Pod, lookup: VolumeLookup): ClaimCheck {
  const waiting: PersistentVolumeClaim[] = [];
  const volumes: PersistentVolume[] = [];
  let unbound: PersistentVolumeClaim | undefined;
  for (const name of claimNames(pod)) {
    const claim = lookup.claim(pod.metadata.namespace ?? '', name);
    if (!claim) return { message: `persistentvolumeclaim "${name}" not found`, missing: name, waiting, volumes };
    if (claim.status?.phase === 'Lost')
      return {
        message: `persistentvolumeclaim "${name}" bound to non-existent persistentvolume "${claim.spec?.volumeName ?? ''}"`,
        waiting,
        volumes,
      };
    if (claim.metadata.deletionTimestamp !== undefined)
      return { message: `persistentvolumeclaim "${name}" is being deleted`, waiting, volumes };
    const volume = claim.spec?.volumeName ? lookup.volume(claim.spec.volumeName) : undefined;
    if (volume && isBound(claim)) volumes.push(volume);
    else if (isDelayed(claim, lookup)) waiting.push(claim);
    else unbound = claim;
  }
  if (!unbound) return { waiting, volumes };
  return { message: 'pod has unbound immediate PersistentVolumeClaims', unbound, waiting, volumes };
}

function isDelayed({ spec }: PersistentVolumeClaim, lookup: VolumeLookup): boolean {
  const storageClass = spec?.storageClassName ? lookup.storageClass(spec.storageClassName) : undefined;
  return storageClass?.volumeBindingMode === 'WaitForFirstConsumer' && !spec?.volumeName;
}

/** Whether a volume can be used on a node. */
export function isReachable({ spec }: PersistentVolume, { node }: NodeEntry): boolean {
  const required = spec?.nodeAffinity?.required;
  return (
    !required || (node !== undefined && (required.nodeSelectorTerms ?? []).some((term) => matchesTerm(term, node)))
  );
}
