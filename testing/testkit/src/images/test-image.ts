import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import { type TarEntry, tarOf } from './tar-archive.ts';

export const digestOf = (body: Uint8Array | string): string =>
  `sha256:${createHash('sha256').update(body).digest('hex')}`;

export interface TestLayer {
  readonly blob: Uint8Array;
  readonly diffId: string;
  readonly mediaType: string;
}

export function layerOf(entries: readonly TarEntry[], pack: (tar: Buffer) => Uint8Array = gzipSync): TestLayer {
  const tar = tarOf(entries);
  return { blob: pack(tar), diffId: digestOf(tar), mediaType: 'application/vnd.oci.image.layer.v1.tar+gzip' };
}

/** Debian's static busybox in one layer: a program that runs in any root. */
export function busyboxLayer(): TestLayer {
  const content = execFileSync('sh', ['-c', 'cat "$(command -v busybox)"'], { maxBuffer: 16 * 1024 * 1024 });
  return layerOf([
    { name: 'bin/', type: '5', mode: 0o755 },
    { name: 'bin/busybox', content, mode: 0o755 },
    { name: 'bin/sh', type: '1', link: 'bin/busybox' },
    { name: 'etc/', type: '5', mode: 0o755 },
    { name: 'etc/passwd', content: 'root:x:0:0:root:/root:/bin/sh\napp:x:1000:1000::/home/app:/bin/sh\n' },
    { name: 'etc/group', content: 'root:x:0:\napp:x:1000:\n' },
  ]);
}

export interface TestImage {
  readonly manifest: string;
  readonly digest: string;
  readonly configDigest: string;
  readonly blobs: readonly Uint8Array[];
}

export function imageOf(layers: readonly TestLayer[], config: object = { Cmd: ['/bin/sh'] }): TestImage {
  const text = JSON.stringify({
    os: 'linux',
    architecture: process.arch === 'arm64' ? 'arm64' : 'amd64',
    config,
    rootfs: { type: 'layers', diff_ids: layers.map(({ diffId }) => diffId) },
  });
  const describe = (body: Uint8Array, mediaType: string) => ({ mediaType, digest: digestOf(body), size: body.length });
  const manifest = JSON.stringify({
    schemaVersion: 2,
    mediaType: 'application/vnd.oci.image.manifest.v1+json',
    config: describe(Buffer.from(text), 'application/vnd.oci.image.config.v1+json'),
    layers: layers.map(({ blob, mediaType }) => describe(blob, mediaType)),
  });
  return {
    manifest,
    digest: digestOf(manifest),
    configDigest: digestOf(text),
    blobs: [Buffer.from(text), ...layers.map(({ blob }) => blob)],
  };
}
