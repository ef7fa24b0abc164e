import { createReadStream } from 'node:fs';
import { readFile, stat } from 'node:fs/promises';
import { createHash } from 'node:crypto';
import { join, sep } from 'node:path';
import type { Platform } from '../platform.ts';
import { checkedDigest, objectsIn, type BlobStream, type ReadManifest } from '../registry-client.ts';
import { StoreError } from '../store-error.ts';
import { chooseManifest, maxConfigBytes } from './image-manifest.ts';
import type { ImageSource } from './store-image.ts';

/** An image in a folder: its manifest, the names that it has there, and its content. */
export interface ArchivedImage {
  readonly manifest: ReadManifest;
  readonly names: readonly string[];
  readonly source: ImageSource;
}

const maxManifestBytes = 4 * 1024 * 1024;

/** The images of a folder that is an OCI image layout, or an unpacked `docker save` archive. */
export async function readImageFolder(folder: string, platform: Platform): Promise<readonly ArchivedImage[]> {
  const index = await readJson(join(folder, 'index.json'));
  if (index) return readLayout(folder, index, platform);
  const manifest = await readJson(join(folder, 'manifest.json'));
  if (Array.isArray(manifest))
    return Promise.all(objectsIn<DockerEntry>(manifest).map((entry) => readDocker(folder, entry)));
  throw new StoreError(
    'INVALID_IMAGE',
    `${folder} is neither an OCI image layout (index.json) nor an archive of docker save (manifest.json)`,
  );
}

interface LayoutEntry {
  readonly digest?: unknown;
  readonly annotations?: Readonly<Record<string, unknown>>;
}

async function readLayout(folder: string, index: object, platform: Platform): Promise<readonly ArchivedImage[]> {
  const source = layoutSource(folder);
  const { manifests } = index as { readonly manifests?: unknown };
  const entries = objectsIn<LayoutEntry>(manifests);
  return Promise.all(
    entries.map(async ({ digest, annotations = {} }) => {
      const first = await readManifest(source, checkedDigest(digest));
      const chosen = chooseManifest(first.value, platform);
      // Docker writes the whole name in one annotation and the tag in the other.
      const name = annotations['io.containerd.image.name'] ?? annotations['org.opencontainers.image.ref.name'];
      return {
        manifest: chosen === undefined ? first : await readManifest(source, chosen),
        names: typeof name === 'string' ? [name] : [],
        source,
      };
    }),
  );
}

async function readManifest(source: ImageSource, digest: string): Promise<ReadManifest> {
  const body = await source.blob(digest);
  const [value] = objectsIn([JSON.parse(Buffer.from(body).toString('utf8'))]);
  if (!value) throw new StoreError('INVALID_IMAGE', `the manifest ${digest} is not an object`);
  return { value, digest, body };
}

function layoutSource(folder: string): ImageSource {
  const pathOf = (digest: string) => join(folder, 'blobs', ...checkedDigest(digest).split(':'));
  return fileSource(pathOf);
}

function fileSource(pathOf: (digest: string) => string): ImageSource {
  return {
    async blob(digest) {
      const path = pathOf(digest);
      const { size } = await stat(path).catch(missing(digest));
      if (size > Math.max(maxManifestBytes, maxConfigBytes))
        throw new StoreError('TOO_LARGE', `the blob ${digest} has ${size} bytes`);
      const body = await readFile(path);
      const found = `sha256:${createHash('sha256').update(body).digest('hex')}`;
      if (found !== digest) throw new StoreError('DIGEST_MISMATCH', `the blob ${digest} has the digest ${found}`);
      return body;
    },
    async openBlob(digest, offset): Promise<BlobStream> {
      const path = pathOf(digest);
      await stat(path).catch(missing(digest));
      return { offset, chunks: createReadStream(path, { start: offset }) as AsyncIterable<Uint8Array> };
    },
  };
}

function missing(digest: string): (cause: unknown) => never {
  return (cause) => {
    throw new StoreError('INVALID_IMAGE', `the archive does not have the blob ${digest}`, { cause });
  };
}

interface DockerEntry {
  readonly Config?: unknown;
  readonly RepoTags?: unknown;
  readonly Layers?: unknown;
}

/** `docker save` names files, not digests: a manifest is made for them. */
async function readDocker(folder: string, { Config, RepoTags, Layers }: DockerEntry): Promise<ArchivedImage> {
  const files = new Map<string, string>();
  const describe = async (name: unknown, mediaType: string) => {
    const path = inside(folder, name);
    const hash = createHash('sha256');
    let size = 0;
    for await (const chunk of createReadStream(path) as AsyncIterable<Buffer>) {
      hash.update(chunk);
      size += chunk.length;
    }
    const digest = `sha256:${hash.digest('hex')}`;
    files.set(digest, path);
    return { mediaType, digest, size };
  };
  const config = await describe(Config, 'application/vnd.oci.image.config.v1+json');
  const layers: object[] = [];
  for (const layer of Array.isArray(Layers) ? Layers : [])
    layers.push(await describe(layer, 'application/vnd.oci.image.layer.v1.tar'));
  const mediaType = 'application/vnd.oci.image.manifest.v1+json';
  const body = Buffer.from(JSON.stringify({ schemaVersion: 2, mediaType, config, layers }));
  const digest = `sha256:${createHash('sha256').update(body).digest('hex')}`;
  const source = fileSource((wanted) => files.get(wanted) ?? join(folder, 'none'));
  const names = (Array.isArray(RepoTags) ? RepoTags : []).filter((name): name is string => typeof name === 'string');
  return { manifest: { value: JSON.parse(body.toString('utf8')) as object, digest, body }, names, source };
}

/** Names in an archive are a stranger's. */
function inside(folder: string, name: unknown): string {
  const path = typeof name === 'string' ? join(folder, name) : '';
  if (path.startsWith(join(folder, sep))) return path;
  throw new StoreError('INVALID_IMAGE', `the archive names the file ${JSON.stringify(name)}`);
}

async function readJson(path: string): Promise<object | undefined> {
  try {
    return (JSON.parse(await readFile(path, 'utf8')) ?? undefined) as object | undefined;
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw new StoreError('INVALID_IMAGE', `${path} cannot be read: ${(cause as Error).message}`, { cause });
  }
}
