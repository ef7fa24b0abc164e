import { type Client, kinds, mergePatch } from '@tektite/client';
import type { PersistentVolume, PersistentVolumeClaim } from '@tektite/schema/kubernetes';
import { claimReference } from './claim-reference.ts';
import { bindCompleted, isBound } from './decide-claim.ts';
import { isPlainFolder } from './folder-volume.ts';

const boundByController = 'pv.kubernetes.io/bound-by-controller';

/** Makes a volume and a claim each other's. Every part of it may have been done before. */
export async function bind(client: Client, volume: PersistentVolume, claim: PersistentVolumeClaim): Promise<void> {
  const bound = await bindVolume(client, volume, claim);
  const written = await bindClaim(client, bound, claim);
  const status = {
    phase: 'Bound',
    ...(bound.spec?.accessModes ? { accessModes: bound.spec.accessModes } : {}),
    ...(bound.spec?.capacity ? { capacity: bound.spec.capacity } : {}),
  };
  const { phase, accessModes, capacity } = written.status ?? {};
  if (phase === 'Bound' && accessModes && capacity) return;
  await client.patchStatus(kinds.PersistentVolumeClaim, keyOf(written), mergePatch({ status }));
}

async function bindVolume(
  client: Client,
  volume: PersistentVolume,
  claim: PersistentVolumeClaim,
): Promise<PersistentVolume> {
  const { name = '', resourceVersion } = volume.metadata;
  let latest = volume;
  if (volume.spec?.claimRef?.uid !== claim.metadata.uid) {
    const chosenHere = volume.spec?.claimRef ? {} : { annotations: { [boundByController]: 'yes' } };
    const patch = mergePatch({
      metadata: { resourceVersion, ...chosenHere },
      spec: { claimRef: claimReference(claim) },
    });
    latest = await client.patch(kinds.PersistentVolume, { name }, patch);
  }
  if (latest.status?.phase === 'Bound') return latest;
  return client.patchStatus(kinds.PersistentVolume, { name }, mergePatch({ status: { phase: 'Bound' } }));
}

async function bindClaim(
  client: Client,
  volume: PersistentVolume,
  claim: PersistentVolumeClaim,
): Promise<PersistentVolumeClaim> {
  const { resourceVersion } = claim.metadata;
  const { name } = volume.metadata;
  const plain = isPlainFolder(volume);
  if (claim.spec?.volumeName === name && (plain || isBound(claim))) return claim;
  // Annotations of the volume binder: whether it chose the volume, and whether the binding is complete.
  const chosenHere = claim.spec?.volumeName ? {} : { [boundByController]: 'yes' };
  const notes = plain ? {} : { annotations: { [bindCompleted]: 'yes', ...chosenHere } };
  const patch = mergePatch({ metadata: { resourceVersion, ...notes }, spec: { volumeName: name } });
  return client.patch(kinds.PersistentVolumeClaim, keyOf(claim), patch);
}

function keyOf({ metadata }: PersistentVolumeClaim): { namespace: string; name: string } {
  return { namespace: metadata.namespace ?? '', name: metadata.name ?? '' };
}
