import { createReadStream } from 'node:fs';
import { readFile } from 'node:fs/promises';
import type { ImageRecord } from './image-record.ts';
import type { StoreFolder } from './store-folder.ts';

const blockSize = 512;

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
  yield* file('oci-layout', Buffer.from('{"imageLayoutVersion":"1.0.0"}'));
  yield* file('index.json', Buffer.from(JSON.stringify(index)));
  yield* file('manifest.json', Buffer.from(JSON.stringify(images.map(dockerEntry))));
  const sizes = new Map<string, number>(manifests.map(({ digest, size }) => [digest, size]));
  for (const { record } of images)
    for (const { digest, size } of [record.config, ...record.layers]) sizes.set(digest, size);
  for (const [digest, size] of sizes) {
    yield header(blobName(digest), size);
    yield* createReadStream(folder.blob(digest)) as AsyncIterable<Buffer>;
    yield padding(size);
  }
  yield Buffer.alloc(2 * blockSize);
}

function dockerEntry({ name, record }: SavedImage): object {
  return {
    Config: blobName(record.config.digest),
    RepoTags: name.includes('@') ? null : [name],
    Layers: record.layers.map(({ digest }) => blobName(digest)),
  };
}

const blobName = (digest: string) => `blobs/${digest.replace(':', '/')}`;

function* file(name: string, content: Buffer): Generator<Uint8Array> {
  yield header(name, content.length);
  yield content;
  yield padding(content.length);
}

const padding = (size: number) => Buffer.alloc((blockSize - (size % blockSize)) % blockSize);

/** A header of a plain file, with no time and no owner. */
function header(name: string, size: number): Buffer {
  const block = Buffer.alloc(blockSize);
  block.write(name, 0, 100, 'latin1');
  block.write('0000644\0', 100);
  block.write('0000000\0', 108);
  block.write('0000000\0', 116);
  if (size < 8 ** 11) block.write(`${size.toString(8).padStart(11, '0')}\0`, 124);
  else {
    block[124] = 0x80;
    block.writeBigUInt64BE(BigInt(size), 128);
  }
  block.write('00000000000\0', 136);
  block.write('        ', 148);
  block.write('0', 156);
  block.write('ustar\x0000', 257, 'latin1');
  const sum = block.reduce((total, byte) => total + byte, 0);
  block.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148);
  return block;
}
