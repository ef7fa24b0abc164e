import { readFile } from 'node:fs/promises';
import type { ImageReference } from '../image-reference.ts';
import type { Platform } from '../platform.ts';
import type { RegistryClient, ReadManifest } from '../registry-client.ts';
import { isStoreError, StoreError } from '../store-error.ts';
import { connectRegistry, type CredentialSource, type RegistrySettings } from './connect-registry.ts';
import { chooseManifest, parseManifest } from './image-manifest.ts';
import { fullName, type ImageRecord, imageRecord, readDocument } from './image-record.ts';
import { exists, type LayerCache, type LayerProgress } from './layer-cache.ts';
import type { Lease } from './lease.ts';
import type { StoreFolder } from './store-folder.ts';

/** How far a pull is, summed over its layers. */
export interface PullProgress {
  readonly name: string;
  /** Compressed bytes that are here, and all of them. */
  readonly bytes: number;
  readonly total: number;
  readonly layersComplete: number;
  readonly layers: number;
}

export interface PullRequest {
  readonly image: ImageReference;
  readonly platform: Platform;
  readonly credentials: CredentialSource;
  readonly onProgress?: (progress: PullProgress) => void;
  readonly signal: AbortSignal;
}

/** The parts of a store that a pull writes to. */
export interface PullTarget {
  readonly folder: StoreFolder;
  readonly layers: LayerCache;
  readonly lease: Lease;
  readonly registries: RegistrySettings;
}

/** Brings an image into the store. Resolves with its record and the digest that its name stands for. */
export async function pullImage(
  request: PullRequest,
  target: PullTarget,
): Promise<{ readonly record: ImageRecord; readonly target: string }> {
  const { image, credentials, signal } = request;
  const { client, document } = await connectRegistry(image, target.registries, credentials, signal);
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
  { folder, layers, lease }: PullTarget,
): Promise<ImageRecord> {
  const { signal } = request;
  const chosen = chooseManifest(first.value, request.platform);
  const { value, digest, body } = chosen === undefined ? first : await client.describe(chosen);
  const manifest = parseManifest(value);
  const blobs = [manifest.config, ...manifest.layers].map((each) => each.digest);
  const release = lease.hold([digest, ...blobs]);
  let releaseLayers = () => {};
  try {
    const known = await folder.read<ImageRecord>(folder.image(digest));
    const record =
      known ?? imageRecord(digest, manifest, readDocument(await configOf(client, manifest, folder, lease)));
    releaseLayers = lease.hold(record.layers.map(({ diffId }) => diffId));
    const progress = new ProgressSum(request, record);
    const unique = [...new Map(record.layers.map((layer) => [layer.diffId, layer])).values()];
    await allOrFirstError(unique, signal, (layer, ownSignal) =>
      layers.ensure({ layer, source: client, lease: lease.id, onProgress: progress.report, signal: ownSignal }),
    );
    if (known) return known;
    await folder.write(folder.blob(digest), body, lease.id);
    await folder.write(folder.image(digest), JSON.stringify(record), lease.id);
    return record;
  } finally {
    releaseLayers();
    release();
  }
}

async function configOf(
  client: RegistryClient,
  { config }: ReturnType<typeof parseManifest>,
  folder: StoreFolder,
  lease: Lease,
): Promise<Uint8Array> {
  const file = folder.blob(config.digest);
  if (await exists(file)) return readFile(file);
  const body = await client.blob(config.digest);
  await folder.write(file, body, lease.id);
  return body;
}

/** Runs all; the first error cancels the others, and is thrown after they have ended. */
export async function allOrFirstError<T>(
  items: readonly T[],
  signal: AbortSignal,
  act: (item: T, signal: AbortSignal) => Promise<void>,
): Promise<void> {
  const abort = new AbortController();
  const all = AbortSignal.any([signal, abort.signal]);
  let failure: { readonly error: unknown } | undefined;
  await Promise.all(
    items.map((item) =>
      act(item, all).catch((error: unknown) => {
        failure ??= { error };
        abort.abort();
      }),
    ),
  );
  if (failure) throw failure.error;
}

class ProgressSum {
  private readonly layers = new Map<string, LayerProgress>();
  private readonly request: PullRequest;
  private readonly total: number;
  private readonly count: number;

  constructor(request: PullRequest, { layers }: ImageRecord) {
    this.request = request;
    const sizes = new Map(layers.map(({ digest, size }) => [digest, size]));
    this.total = [...sizes.values()].reduce((sum, size) => sum + size, 0);
    this.count = sizes.size;
  }

  readonly report = (progress: LayerProgress): void => {
    this.layers.set(progress.digest, progress);
    const all = [...this.layers.values()];
    this.request.onProgress?.({
      name: fullName(this.request.image),
      bytes: all.reduce((sum, { bytes }) => sum + bytes, 0),
      total: this.total,
      layersComplete: all.filter(({ state }) => state === 'complete').length,
      layers: this.count,
    });
  };
}
