import type { NewObject } from '@tektite/client';
import type { PersistentVolume, PersistentVolumeClaim, StorageClass } from '@tektite/schema/kubernetes';
import { claimReference } from './claim-reference.ts';
import { provisioner, type StorageOptions } from './storage-options.ts';

export const provisionedBy = 'pv.kubernetes.io/provisioned-by';

/** The volume for a claim, in a folder that a person can find: `pvc-<uid>_<namespace>_<name>`. */
export function folderVolume(
  claim: PersistentVolumeClaim,
  storageClass: StorageClass | undefined,
  { directory }: StorageOptions,
): NewObject<PersistentVolume> {
  const { uid = '', namespace = '', name: claimName = '' } = claim.metadata;
  const name = `pvc-${uid}`;
  const { accessModes, resources, volumeMode } = claim.spec ?? {};
  return {
    metadata: { name, annotations: { [provisionedBy]: provisioner } },
    spec: {
      ...(accessModes ? { accessModes } : {}),
      capacity: { storage: resources?.requests?.['storage'] ?? '0' },
      claimRef: claimReference(claim),
      hostPath: { path: `${directory}/${name}_${namespace}_${claimName}`, type: 'DirectoryOrCreate' },
      persistentVolumeReclaimPolicy: storageClass?.reclaimPolicy ?? 'Delete',
      ...(storageClass?.metadata.name ? { storageClassName: storageClass.metadata.name } : {}),
      ...(volumeMode ? { volumeMode } : {}),
    },
  };
}

/** Whether a volume was made for a claim that names no class. */
export function isPlainFolder({ metadata, spec }: PersistentVolume): boolean {
  return metadata.annotations?.[provisionedBy] === provisioner && !spec?.storageClassName;
}
