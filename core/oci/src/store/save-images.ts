import { createReadStream } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { tarEnd, tarFile, tarHeader, tarPadding } from '../build/tar-blocks.ts';
import type { ImageRecord } from './image-record.ts';
import type { StoreFolder } from './store-folder.ts';

export interface SavedImage {
  readonly name: string;
  readonly record: ImageRecord;
}

/**
 * The bytes of a tar archive with these images, as an OCI image layout. The file `manifest.json` is for `docker load`. The same images
 * give the same bytes.
 */
export async function* saveImages(images: readonly SavedImage[], folder: StoreFolder): AsyncGenerator<Uint8Array> {
  const manifests = await Promise.all(
    images.map(async ({ name, record }) => ({
      mediaType: 'application/vnd.oci.image.manifest.v1+json',
      digest: record.digest,
      size: (await readFile(folder.blob(record.digest))).length,
      annotations: { 'io.containerd.image.name': name, 'org.opencontainers.image.ref.name': name },
    })),
  );
  const index = { schemaVersion: 2, mediaType: 'application/vnd.oci.image.index.v1+json', manifests };
  yield* tarFile('oci-layout', Buffer.from('{"imageLayoutVersion":"1.0.0"}'));
  yield* tarFile('index.json', Buffer.from(JSON.stringify(index)));
  yield* tarFile('manifest.json', Buffer.from(JSON.stringify(images.map(dockerEntry))));
  const sizes = new Map<string, number>(manifests.map(({ digest, size }) => [digest, size]));
  for (const { record } of images)
    for (const { digest, size } of [record.config, ...record.layers]) sizes.set(digest, size);
  for (const [digest, size] of sizes) {
    yield tarHeader({ name: blobName(digest), size });
    yield* createReadStream(folder.blob(digest)) as AsyncIterable<Buffer>;
    yield tarPadding(size);
  }
  yield tarEnd();
}

function dockerEntry({ name, record }: SavedImage): object {
  return {
    Config: blobName(record.config.digest),
    RepoTags: name.includes('@') ? null : [name],
    Layers: record.layers.map(({ digest }) => blobName(digest)),
  };
}

const blobName = (digest: string) => `blobs/${digest.replace(':', '/')}`;
