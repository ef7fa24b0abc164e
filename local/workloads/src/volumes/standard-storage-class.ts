import { type Client, kinds } from '@tektite/client';
import { isStatusError } from '@tektite/meta';
import { provisioner } from './storage-options.ts';

/**
 * The class that manifests name most, so that they work here. It is not the default: claims that name no class need none.
 * Volumes are made at once and not when the first Pod comes: there is one machine, so nothing is gained by waiting.
 */
export async function ensureStandardStorageClass(client: Client): Promise<void> {
  try {
    await client.create(kinds.StorageClass, {
      metadata: { name: 'standard' },
      provisioner,
      reclaimPolicy: 'Delete',
      volumeBindingMode: 'Immediate',
    });
  } catch (error) {
    // Whatever a user made of it stays.
    if (!isStatusError(error, 'AlreadyExists')) throw error;
  }
}
