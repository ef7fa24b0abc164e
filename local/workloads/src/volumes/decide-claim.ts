import type { PersistentVolume, PersistentVolumeClaim, StorageClass } from '@tektite/schema/kubernetes';
import { findVolume, isMeantFor } from './match-volume.ts';
import { provisioner } from './storage-options.ts';

export const bindCompleted = 'pv.kubernetes.io/bind-completed';
export const selectedNode = 'volume.kubernetes.io/selected-node';

interface EventText {
  readonly type?: 'Normal' | 'Warning';
  readonly reason: string;
  readonly message: string;
}

/** Recorded for a claim without a matching volume and without a provisioner. */
export const nothingFits: EventText = {
  type: 'Normal',
  reason: 'FailedBinding',
  message: 'no persistent volumes available for this claim and no storage class is set',
};

export type ClaimStep =
  | { readonly type: 'rest' }
  | { readonly type: 'wait'; readonly event?: EventText }
  /** An external provisioner makes the volume. */
  | { readonly type: 'delegate'; readonly provisioner: string; readonly event: EventText }
  | { readonly type: 'bind'; readonly volume: PersistentVolume }
  /** Without a class: for a claim that names none. */
  | { readonly type: 'provision'; readonly storageClass: StorageClass | undefined }
  | { readonly type: 'lost'; readonly event: EventText };

/** Whether a claim has got its volume, even if that was lost since. Folders of claims without a class leave no annotation. */
export function isBound({ metadata, status }: PersistentVolumeClaim): boolean {
  const { phase } = status ?? {};
  return metadata.annotations?.[bindCompleted] !== undefined || phase === 'Bound' || phase === 'Lost';
}

/**
 * The next thing to do for a claim. One that names no class gets a folder at once, without a class, as on a cluster
 * whose administrator provides volumes for all. Marking a class as the default changes that, and the empty class `""`
 * asks for volumes that were made beforehand, as everywhere.
 */
export function nextClaimStep(
  claim: PersistentVolumeClaim,
  volumes: { get(name: string): PersistentVolume | undefined; all(): readonly PersistentVolume[] },
  classOf: (name: string) => StorageClass | undefined,
): ClaimStep {
  if (claim.metadata.deletionTimestamp !== undefined) return { type: 'rest' };
  const bound = isBound(claim);
  const { volumeName, storageClassName } = claim.spec ?? {};
  if (volumeName) return stepWithVolume(claim, volumes.get(volumeName), bound);
  const storageClass = storageClassName ? classOf(storageClassName) : undefined;
  const delayed =
    storageClass?.volumeBindingMode === 'WaitForFirstConsumer' && !claim.metadata.annotations?.[selectedNode];
  const found = findVolume(claim, volumes.all(), delayed);
  if (found) return { type: 'bind', volume: found };
  if (delayed) return wait('WaitForFirstConsumer', 'waiting for first consumer to be created before binding');
  if (storageClassName === undefined) return { type: 'provision', storageClass: undefined };
  if (storageClassName === '') return { type: 'wait', event: nothingFits };
  if (!storageClass)
    return wait('ProvisioningFailed', `storageclass.storage.k8s.io "${storageClassName}" not found`, 'Warning');
  if (storageClass.provisioner === 'kubernetes.io/no-provisioner')
    return wait('FailedBinding', `storageclass "${storageClassName}" has no provisioner and no volume fits`);
  if (storageClass.provisioner !== provisioner) return delegate(storageClass.provisioner);
  return { type: 'provision', storageClass };
}

function stepWithVolume(claim: PersistentVolumeClaim, volume: PersistentVolume | undefined, bound: boolean): ClaimStep {
  if (!volume) {
    if (!bound) return { type: 'wait' };
    return lost('ClaimLost', 'Bound claim has lost its PersistentVolume. Data on the volume is lost!');
  }
  if (!volume.spec?.claimRef && !bound) return { type: 'bind', volume };
  if (isMeantFor(volume, claim)) return { type: 'bind', volume };
  if (!bound) return { type: 'wait' };
  return lost('ClaimMisbound', 'Two claims are bound to the same volume, this one is bound incorrectly');
}

const wait = (reason: string, message: string, type: 'Normal' | 'Warning' = 'Normal'): ClaimStep => ({
  type: 'wait',
  event: { type, reason, message },
});
const lost = (reason: string, message: string): ClaimStep => ({
  type: 'lost',
  event: { type: 'Warning', reason, message },
});

function delegate(name: string): ClaimStep {
  const message =
    `Waiting for a volume to be created either by the external provisioner '${name}' or manually by the system administrator. ` +
    'If volume creation is delayed, please verify that the provisioner is running and correctly registered.';
  return { type: 'delegate', provisioner: name, event: { type: 'Normal', reason: 'ExternalProvisioning', message } };
}
