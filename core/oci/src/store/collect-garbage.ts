import { readdir, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Clock } from '@tektite/meta';
import type { LayersProgram } from '../unpack/layers-program.ts';
import { FileLock } from './file-lock.ts';
import type { ImageRecord, NameRecord } from './image-record.ts';
import type { Lease } from './lease.ts';
import { readLeases } from './lease.ts';
import { type ListedImage, listImages, readRecords } from './list-images.ts';
import type { StoreFolder } from './store-folder.ts';

/** Which images may go. Those that a process holds never do. */
export interface PruneOptions {
  /** Images that were not used for longer. */
  readonly maxAgeMs?: number;
  /** The least recently used ones, until the store is not larger. */
  readonly maxBytes?: number;
}

export interface PruneReport {
  /** The names of the removed images, or their digests. */
  readonly removed: readonly string[];
  readonly bytes: number;
}

const dayMs = 24 * 60 * 60 * 1000;

/** Chooses the images to remove: pure. `images` are all of the store, `size` is what it takes on disk. */
export function chooseImages(
  images: readonly ListedImage[],
  size: number,
  { maxAgeMs = Number.POSITIVE_INFINITY, maxBytes = Number.POSITIVE_INFINITY }: PruneOptions,
  now: number,
): readonly ListedImage[] {
  let left = size;
  return images
    .toSorted((a, b) => a.lastUsed - b.lastUsed)
    .filter(({ lastUsed, diskBytes }) => {
      const goes = now - lastUsed > maxAgeMs || left > maxBytes;
      if (goes) left -= diskBytes;
      return goes;
    });
}

/**
 * Removes images, and layers and blobs that no image has.
 *
 * Content is moved away first, then the leases are read, then the records of images: a process that started to use something
 * meanwhile is in one of them, and its content is moved back.
 */
export class GarbageCollector {
  private readonly folder: StoreFolder;
  private readonly lease: Lease;
  private readonly program: LayersProgram;
  private readonly clock: Clock;

  constructor(folder: StoreFolder, lease: Lease, program: LayersProgram, clock: Clock) {
    this.folder = folder;
    this.lease = lease;
    this.program = program;
    this.clock = clock;
  }

  async prune(options: PruneOptions): Promise<PruneReport> {
    using _lock = await FileLock.take(join(this.folder.path, 'gc.lock'));
    const before = await this.diskBytes();
    const chosen = chooseImages(await listImages(this.folder), before, options, this.clock.now());
    const removed: string[] = [];
    for (const { digest, names } of chosen)
      if (await this.removeImage(digest)) removed.push(...(names.length > 0 ? names : [digest]));
    await this.sweep();
    return { removed, bytes: Math.max(0, before - (await this.diskBytes())) };
  }

  /** Removes one image with all its names; false when a process holds it. */
  async remove(digest: string): Promise<boolean> {
    using _lock = await FileLock.take(join(this.folder.path, 'gc.lock'));
    if (!(await this.removeImage(digest))) return false;
    await this.sweep();
    return true;
  }

  private async removeImage(digest: string): Promise<boolean> {
    if ((await this.held()).has(digest)) return false;
    const [path, away] = [this.folder.image(digest), this.folder.temporary(this.lease.id)];
    await rename(path, away);
    if ((await this.held()).has(digest)) {
      await rename(away, path);
      return false;
    }
    await rm(away, { force: true });
    for (const file of await this.folder.list('names')) {
      const name = join(this.folder.path, 'names', file);
      if ((await this.folder.read<NameRecord>(name))?.digest === digest) await rm(name, { force: true });
    }
    return true;
  }

  /** Removes layers and blobs that no image has and no process needs. */
  private async sweep(): Promise<void> {
    const needed = await this.needed();
    const moved: { readonly from: string; readonly away: string; readonly digest: string }[] = [];
    for (const part of ['layers', 'blobs'] as const)
      for (const hex of await this.folder.list(part)) {
        const digest = `sha256:${hex}`;
        if (needed.has(digest)) continue;
        const from = join(this.folder.path, part, hex);
        const away = this.folder.temporary(this.lease.id);
        await rename(from, away);
        moved.push({ from, away, digest });
      }
    const neededNow = moved.length > 0 ? await this.needed() : needed;
    for (const { from, away, digest } of moved) {
      const isBack =
        neededNow.has(digest) &&
        (await rename(away, from).then(
          () => true,
          () => false,
        ));
      if (!isBack) await this.discard(away);
    }
    await this.removeOldParts();
  }

  /** Leases first: a pull writes the record before it gives its lease back. */
  private async needed(): Promise<ReadonlySet<string>> {
    const needed = new Set(await this.held());
    for (const record of await readRecords(this.folder)) for (const digest of digestsOf(record)) needed.add(digest);
    return needed;
  }

  private held(): Promise<ReadonlySet<string>> {
    return readLeases(this.folder, this.lease.id);
  }

  private async discard(path: string): Promise<void> {
    if ((await stat(path)).isDirectory()) await this.program.remove(path);
    else await rm(path, { force: true });
  }

  /** Downloads that no process has continued for a day. */
  private async removeOldParts(): Promise<void> {
    for (const name of await this.folder.list('partial')) {
      const path = join(this.folder.path, 'partial', name);
      const { mtimeMs } = await stat(path).catch(() => ({ mtimeMs: Number.POSITIVE_INFINITY }));
      if (this.clock.now() - mtimeMs > dayMs) await rm(path, { force: true });
    }
  }

  /** The size of the store on disk. */
  private async diskBytes(): Promise<number> {
    const sizes = await Promise.all([this.blobBytes(), this.layerBytes()]);
    return sizes.reduce((sum, size) => sum + size, 0);
  }

  private async blobBytes(): Promise<number> {
    const folder = join(this.folder.path, 'blobs');
    const sizes = await Promise.all((await readdir(folder)).map(async (name) => (await stat(join(folder, name))).size));
    return sizes.reduce((sum, size) => sum + size, 0);
  }

  private async layerBytes(): Promise<number> {
    const names = await this.folder.list('layers');
    const sizes = await Promise.all(names.map(async (hex) => (await this.folder.layerSize(`sha256:${hex}`)) ?? 0));
    return sizes.reduce((sum, size) => sum + size, 0);
  }
}

function digestsOf({ digest, config, layers }: ImageRecord): readonly string[] {
  return [digest, config.digest, ...layers.flatMap((layer) => [layer.digest, layer.diffId])];
}
