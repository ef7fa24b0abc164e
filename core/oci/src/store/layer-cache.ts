import { access, mkdir, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Clock } from '@tektite/meta';
import { isStoreError } from '../store-error.ts';
import type { LayersProgram } from '../unpack/layers-program.ts';
import { type LayerLimits, unpackBlob } from '../unpack/unpack-blob.ts';
import { type BlobSource, downloadBlob } from './download-blob.ts';
import { FileLock } from './file-lock.ts';
import type { StoredLayer } from './image-record.ts';
import { LayerMarks } from './layer-marks.ts';
import { Slots } from './slots.ts';
import type { StoreFolder } from './store-folder.ts';

/** How far a layer is. */
export interface LayerProgress {
  readonly digest: string;
  readonly state: 'downloading' | 'unpacking' | 'complete';
  /** Of the compressed layer, downloaded so far. */
  readonly bytes: number;
  readonly total: number;
}

export interface LayerRequest {
  readonly layer: StoredLayer;
  readonly source: BlobSource;
  readonly lease: string;
  readonly onProgress?: (progress: LayerProgress) => void;
  readonly signal: AbortSignal;
}

const downloadsAtOnce = 3;
const unpacksAtOnce = 2;

/** The layers of the store: each is downloaded and unpacked once, by one process at a time. */
export class LayerCache {
  private readonly folder: StoreFolder;
  private readonly program: LayersProgram;
  private readonly limits: LayerLimits;
  private readonly clock: Clock;
  private readonly downloads = new Slots(downloadsAtOnce);
  private readonly unpacks = new Slots(unpacksAtOnce);
  private readonly inFlight = new Map<string, Promise<void>>();
  private readonly marks: LayerMarks;

  constructor(folder: StoreFolder, program: LayersProgram, limits: LayerLimits, clock: Clock) {
    this.folder = folder;
    this.program = program;
    this.limits = limits;
    this.clock = clock;
    this.marks = new LayerMarks(folder, program.owners, clock);
  }

  async has({ diffId }: Pick<StoredLayer, 'diffId'>): Promise<boolean> {
    return this.marks.isTrusted(diffId);
  }

  /** Resolves when the layer is unpacked. The caller holds a lease for its digests. */
  async ensure(request: LayerRequest): Promise<void> {
    const { diffId, digest, size } = request.layer;
    for (let other = this.inFlight.get(diffId); other; other = this.inFlight.get(diffId)) {
      // The other pull may have been cancelled: then this one does the work.
      await other.catch(() => undefined);
      request.signal.throwIfAborted();
    }
    const work = this.fetch(request);
    this.inFlight.set(diffId, work);
    try {
      await work;
    } finally {
      this.inFlight.delete(diffId);
    }
    request.onProgress?.({ digest, state: 'complete', bytes: size, total: size });
  }

  /** Gives the disk a little time for layers that it does not have yet. */
  close(): Promise<void> {
    return this.marks.close();
  }

  private async fetch(request: LayerRequest): Promise<void> {
    const { layer, signal } = request;
    if (await this.has(layer)) return;
    const partial = this.folder.partial(layer.digest);
    using lock = await FileLock.take(`${partial}.lock`, signal);
    try {
      // Another process may have done it meanwhile.
      if (await this.has(layer)) return;
      await this.fill(request, partial);
    } finally {
      await rm(lock.path, { force: true });
    }
  }

  /** A blob that was here may be damaged: then it is downloaded again. */
  private async fill(request: LayerRequest, partial: string): Promise<void> {
    const wasHere = await exists(this.folder.blob(request.layer.digest));
    await this.download(request, partial);
    try {
      await this.unpack(request);
    } catch (error) {
      if (!wasHere || !isStoreError(error, 'DIGEST_MISMATCH', 'UNSAFE_LAYER')) throw error;
      await this.download(request, partial);
      await this.unpack(request);
    }
  }

  private async download({ layer, source, onProgress, signal }: LayerRequest, partial: string): Promise<void> {
    const { digest, size } = layer;
    const file = this.folder.blob(digest);
    if (await exists(file)) return;
    using _slot = await this.downloads.take();
    signal.throwIfAborted();
    const onBytes = (bytes: number) => onProgress?.({ digest, state: 'downloading', bytes, total: size });
    await downloadBlob(source, { digest, size, partial, file, clock: this.clock, onBytes, signal });
  }

  private async unpack({ layer, lease, onProgress, signal }: LayerRequest): Promise<void> {
    using _slot = await this.unpacks.take();
    signal.throwIfAborted();
    const { diffId, digest, size } = layer;
    onProgress?.({ digest, state: 'unpacking', bytes: size, total: size });
    const temporary = this.folder.temporary(lease);
    const files = join(temporary, 'fs');
    await mkdir(files, { recursive: true });
    try {
      const file = this.folder.blob(digest);
      const result = await unpackBlob(this.program, { file, diffId, folder: files, limits: this.limits, signal });
      await writeFile(join(temporary, 'layer.json'), this.marks.markOf(diffId, result));
      await this.clear(diffId, lease);
      await rename(temporary, this.folder.layer(diffId));
      this.marks.syncSoon(diffId, lease);
    } catch (error) {
      await this.program.remove(temporary).catch(() => undefined);
      // The same layer came in another compression meanwhile.
      if (await this.has(layer)) return;
      // It was damaged on disk, or never worth keeping: the next pull downloads it again.
      if (isStoreError(error, 'DIGEST_MISMATCH', 'UNSAFE_LAYER')) await rm(this.folder.blob(digest), { force: true });
      throw error;
    }
  }

  /** Removes a layer that is not trusted any more. One that is trusted stays, and may be in use. */
  private async clear(diffId: string, lease: string): Promise<void> {
    const path = this.folder.layer(diffId);
    if (!(await exists(path)) || (await this.marks.isTrusted(diffId))) return;
    const away = this.folder.temporary(lease);
    await rename(path, away);
    await this.program.remove(away);
  }
}

export async function exists(path: string): Promise<boolean> {
  try {
    await access(path);
    return true;
  } catch {
    return false;
  }
}
