import { createWriteStream } from 'node:fs';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { BuiltImage } from './build-image.ts';
import { mediaTypes } from './media-types.ts';
import { tarEnd, tarFile } from './tar-blocks.ts';

/** Writes an image as an archive of an OCI image layout: what `tektite image load`, `podman load` and `skopeo` read. */
export async function writeImageArchive(image: BuiltImage, name: string, file: string): Promise<void> {
  await pipeline(Readable.from(archiveOf(image, name)), createWriteStream(file));
}

function* archiveOf({ index, blobs }: BuiltImage, name: string): Generator<Uint8Array> {
  const annotations = { 'io.containerd.image.name': name, 'org.opencontainers.image.ref.name': name };
  const layout = { schemaVersion: 2, mediaType: mediaTypes.index, manifests: [{ ...index, annotations }] };
  yield* tarFile('oci-layout', Buffer.from('{"imageLayoutVersion":"1.0.0"}'));
  yield* tarFile('index.json', Buffer.from(JSON.stringify(layout)));
  for (const [digest, content] of blobs) yield* tarFile(`blobs/${digest.replace(':', '/')}`, content);
  yield tarEnd();
}
