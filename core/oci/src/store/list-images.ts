import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { type ImageRecord, type NameRecord, sizeOf } from './image-record.ts';
import type { StoreFolder } from './store-folder.ts';

/** An image of the store, for listings. */
export interface ListedImage {
  /** In full, in order. An image without one came from a file, or lost it to a newer image. */
  readonly names: readonly string[];
  readonly digest: string;
  /** Of the configuration. */
  readonly imageID: string;
  /** `linux/amd64` */
  readonly platform: string;
  readonly created: string;
  /** Milliseconds since the epoch. */
  readonly lastUsed: number;
  /** Of its blobs. */
  readonly size: number;
  /** Of its blobs and its unpacked layers, those that it shares included. */
  readonly diskBytes: number;
}

/** All images of a store, the most recently used first. */
export async function listImages(folder: StoreFolder): Promise<readonly ListedImage[]> {
  const names = await readNames(folder);
  const images = await Promise.all(
    (await readRecords(folder)).map(async (record) => {
      const used = await stat(folder.image(record.digest)).catch(() => undefined);
      if (!used) return undefined;
      const unpacked = await Promise.all(record.layers.map(({ diffId }) => folder.layerSize(diffId)));
      const size = sizeOf(record);
      return {
        names: names.filter(({ digest }) => digest === record.digest).map(({ name }) => name),
        digest: record.digest,
        imageID: record.config.digest,
        platform: record.platform,
        created: record.created,
        lastUsed: used.mtimeMs,
        size,
        diskBytes: unpacked.reduce<number>((sum, bytes) => sum + (bytes ?? 0), size),
      };
    }),
  );
  return images.filter((image) => image !== undefined).toSorted((a, b) => b.lastUsed - a.lastUsed);
}

export async function readRecords(folder: StoreFolder): Promise<readonly ImageRecord[]> {
  return readAll<ImageRecord>(folder, 'images');
}

async function readNames(folder: StoreFolder): Promise<readonly NameRecord[]> {
  return (await readAll<NameRecord>(folder, 'names')).toSorted((a, b) => (a.name < b.name ? -1 : 1));
}

async function readAll<T>(folder: StoreFolder, part: 'images' | 'names'): Promise<readonly T[]> {
  const files = await folder.list(part);
  const found = await Promise.all(files.map((file) => folder.read<T>(join(folder.path, part, file))));
  return found.filter((record) => record !== undefined);
}
