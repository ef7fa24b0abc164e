import { type Client, kinds, mergePatch, ignoreNotFound } from '@tektite/client';
import { type ControllerDefinition, defineController, mapped } from '@tektite/controller';
import type { PersistentVolume, PersistentVolumeClaim } from '@tektite/schema/kubernetes';
import type { RecordEvent } from '../component-events.ts';
import { provisionedBy } from './folder-volume.ts';
import { provisioner, type StorageOptions } from './storage-options.ts';

/** In which phase of its life a volume is, given the claim that it names. */
export function volumePhase(
  { metadata, spec }: PersistentVolume,
  claim: PersistentVolumeClaim | undefined,
): string | undefined {
  const reference = spec?.claimRef;
  if (!reference?.uid) return 'Available';
  if (claim?.metadata.uid !== reference.uid) return 'Released';
  // The claim is there; who binds it says so in both.
  return claim.spec?.volumeName === metadata.name ? 'Bound' : undefined;
}

/** Keeps the phase of volumes, and reclaims volumes of deleted claims by their policy. */
export function volumeController(record: RecordEvent, storage: StorageOptions | undefined): ControllerDefinition {
  const claims = mapped(kinds.PersistentVolumeClaim, ({ metadata, spec }) => [
    ...(spec?.volumeName ? [spec.volumeName] : []),
    `pvc-${metadata.uid}`,
  ]);
  return defineController({
    name: 'persistent-volume',
    kind: kinds.PersistentVolume,
    sources: [claims],
    async reconcile(volume, { cache, client, name }) {
      const { namespace = '', name: claimName = '' } = volume.spec?.claimRef ?? {};
      let claim = cache(claims).get(`${namespace}/${claimName}`);
      let phase = volumePhase(volume, claim);
      if (phase === 'Released') {
        // Nothing is removed on the word of a cache.
        claim = await find(client, namespace, claimName);
        phase = volumePhase(volume, claim);
      }
      const known = volume.status?.phase ?? '';
      if (phase !== undefined && phase !== known && known !== 'Failed')
        await client.patchStatus(kinds.PersistentVolume, { name }, mergePatch({ status: { phase } }));
      if (phase === 'Released' && volume.metadata.deletionTimestamp === undefined)
        await reclaim(client, volume, storage, record);
    },
  });
}

async function find(client: Client, namespace: string, name: string): Promise<PersistentVolumeClaim | undefined> {
  return await client.getOrUndefined(kinds.PersistentVolumeClaim, { namespace, name });
}

async function reclaim(
  client: Client,
  volume: PersistentVolume,
  storage: StorageOptions | undefined,
  record: RecordEvent,
): Promise<void> {
  const { name = '', uid, annotations } = volume.metadata;
  if (
    volume.spec?.persistentVolumeReclaimPolicy !== 'Delete' ||
    annotations?.[provisionedBy] !== provisioner ||
    !storage
  )
    return;
  const path = volume.spec.hostPath?.path;
  // A path that a user wrote into the volume is not ours to remove.
  if (path?.startsWith(`${storage.directory}/`) && !path.split('/').includes('..')) {
    try {
      await storage.removeFolder(path);
    } catch (error) {
      record(volume, { type: 'Warning', reason: 'VolumeFailedDelete', message: (error as Error).message });
      throw error;
    }
  }
  await client.delete(kinds.PersistentVolume, { name }, uid ? { preconditions: { uid } } : {}).catch(ignoreNotFound);
}
