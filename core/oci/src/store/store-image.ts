import type { ReadManifest } from '../registry-client.ts';
import type { BlobSource } from './download-blob.ts';
import { type ImageManifest, parseManifest } from './image-manifest.ts';
import { type ImageRecord, imageRecord, readDocument } from './image-record.ts';
import type { LayerCache, LayerProgress } from './layer-cache.ts';
import type { Lease } from './lease.ts';
import type { StoreFolder } from './store-folder.ts';

/** How far an image is, summed over its layers. */
export interface PullProgress {
  readonly name: string;
  /** Compressed bytes that are here, and all of them. */
  readonly bytes: number;
  readonly total: number;
  readonly layersComplete: number;
  readonly layers: number;
}

/** Where the content of an image comes from: a registry, or a folder. */
export interface ImageSource extends BlobSource {
  /** A small blob, whose digest was checked. */
  blob(digest: string): Promise<Uint8Array>;
}

export interface StoreRequest {
  readonly source: ImageSource;
  /** For reports. */
  readonly name: string;
  readonly onProgress?: (progress: PullProgress) => void;
  readonly signal: AbortSignal;
}

/** The parts of a store that images are written to. */
export interface StoreTarget {
  readonly folder: StoreFolder;
  readonly layers: LayerCache;
  readonly lease: Lease;
}

/** Brings the configuration and the layers of a manifest into the store, then the image itself. */
export async function storeImage(
  { value, digest, body }: ReadManifest,
  request: StoreRequest,
  { folder, layers, lease }: StoreTarget,
): Promise<ImageRecord> {
  const { source, signal } = request;
  const manifest = parseManifest(value);
  const blobs = [manifest.config, ...manifest.layers].map((each) => each.digest);
  const release = lease.hold([digest, ...blobs]);
  let releaseLayers = () => {};
  try {
    const known = await folder.read<ImageRecord>(folder.image(digest));
    const config = await configOf(manifest, source, folder, lease);
    const record = known ?? imageRecord(digest, manifest, readDocument(config));
    releaseLayers = lease.hold(record.layers.map(({ diffId }) => diffId));
    const progress = new ProgressSum(request, record);
    const unique = [...new Map(record.layers.map((layer) => [layer.diffId, layer])).values()];
    await allOrFirstError(unique, signal, (layer, ownSignal) =>
      layers.ensure({ layer, source, lease: lease.id, onProgress: progress.report, signal: ownSignal }),
    );
    await folder.write(folder.blob(digest), body, lease.id);
    await folder.write(folder.image(digest), JSON.stringify(record), lease.id);
    return record;
  } finally {
    releaseLayers();
    release();
  }
}

async function configOf(
  { config }: ImageManifest,
  source: ImageSource,
  folder: StoreFolder,
  lease: Lease,
): Promise<Uint8Array> {
  const present = await folder.readBlob(config.digest);
  if (present) return present;
  const body = await source.blob(config.digest);
  await folder.write(folder.blob(config.digest), body, lease.id);
  return body;
}

/** Runs all; the first error cancels the others, and is thrown after they have ended. */
async function allOrFirstError<T>(
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
  private readonly request: StoreRequest;
  private readonly total: number;
  private readonly count: number;

  constructor(request: StoreRequest, { layers }: ImageRecord) {
    this.request = request;
    const sizes = new Map(layers.map(({ digest, size }) => [digest, size]));
    this.total = [...sizes.values()].reduce((sum, size) => sum + size, 0);
    this.count = sizes.size;
  }

  readonly report = (progress: LayerProgress): void => {
    this.layers.set(progress.digest, progress);
    const all = [...this.layers.values()];
    this.request.onProgress?.({
      name: this.request.name,
      bytes: all.reduce((sum, { bytes }) => sum + bytes, 0),
      total: this.total,
      layersComplete: all.filter(({ state }) => state === 'complete').length,
      layers: this.count,
    });
  };
}
