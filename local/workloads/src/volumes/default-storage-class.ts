import { type Client, kinds } from '@tektite/client';
import { isStatusError } from '@tektite/meta';
import { provisioner } from './storage-options.ts';

/**
 * The class of claims that name none. Volumes are made at once and not when the first Pod comes: there is one machine, so
 * nothing is gained by waiting.
 */
export async function ensureDefaultStorageClass(client: Client): Promise<void> {
  try {
    await client.create(kinds.StorageClass, {
      metadata: { name: 'standard', annotations: { 'storageclass.kubernetes.io/is-default-class': 'true' } },
      provisioner,
      reclaimPolicy: 'Delete',
      volumeBindingMode: 'Immediate',
    });
  } catch (error) {
    // Whatever a user made of it stays.
    if (!isStatusError(error, 'AlreadyExists')) throw error;
  }
}
