import type { ImageReference } from '../image-reference.ts';
import type { Platform } from '../platform.ts';
import type { ReadManifest, RegistryClient } from '../registry-client.ts';
import { isStoreError, StoreError } from '../store-error.ts';
import { connectRegistry, type CredentialSource, type RegistrySettings } from './connect-registry.ts';
import { chooseManifest } from './image-manifest.ts';
import { fullName, type ImageRecord } from './image-record.ts';
import { type PullProgress, storeImage, type StoreTarget } from './store-image.ts';

export interface PullRequest {
  readonly image: ImageReference;
  readonly platform: Platform;
  readonly credentials: CredentialSource;
  readonly onProgress?: (progress: PullProgress) => void;
  readonly signal: AbortSignal;
  readonly dialTimeoutMs?: number | undefined;
}

/** The store, and how its registries are reached. */
export interface PullTarget extends StoreTarget {
  readonly registries: RegistrySettings;
}

/** Brings an image into the store. Resolves with its record and the digest that its name stands for. */
export async function pullImage(
  request: PullRequest,
  target: PullTarget,
): Promise<{ readonly record: ImageRecord; readonly target: string }> {
  const { image, credentials, signal, dialTimeoutMs } = request;
  const { client, document } = await connectRegistry(image, target.registries, credentials, signal, dialTimeoutMs);
  try {
    const record = await pullFrom(client, document, request, target);
    return { record, target: document.digest };
  } catch (error) {
    signal.throwIfAborted();
    if (isStoreError(error)) throw error;
    throw new StoreError(
      'REGISTRY_FAILED',
      `failed to pull image ${JSON.stringify(fullName(image))}: ${(error as Error).message}`,
      { cause: error },
    );
  }
}

async function pullFrom(
  client: RegistryClient,
  first: ReadManifest,
  request: PullRequest,
  target: PullTarget,
): Promise<ImageRecord> {
  const chosen = chooseManifest(first.value, request.platform);
  const manifest = chosen === undefined ? first : await client.describe(chosen);
  const { onProgress, signal } = request;
  const name = fullName(request.image);
  return storeImage(manifest, { source: client, name, signal, ...(onProgress ? { onProgress } : {}) }, target);
}
