import { open, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { TerminalError } from '@tektite/meta';
import { asManifest, checkedDigest, type Manifest, objectsIn } from './registry-client.ts';
import { saveChecked } from './save-checked.ts';

const refName = 'org.opencontainers.image.ref.name';

interface IndexEntry {
  readonly digest?: unknown;
  readonly annotations?: Readonly<Record<string, string>>;
}

/** Images in a folder that is an OCI image layout: what `skopeo copy … oci:folder:name` writes. */
export class ImageLayout {
  private readonly folder: string;

  constructor(folder: string) {
    this.folder = folder;
  }

  /** The manifest of the image of this name: the whole reference, its last part, or its tag; or the only one there is. */
  async manifest(name: string): Promise<Manifest> {
    const index = (await this.json('index.json')) as { manifests?: readonly IndexEntry[] };
    const entries = objectsIn<IndexEntry>(index.manifests);
    const wanted = [name, name.slice(name.lastIndexOf('/') + 1), name.slice(name.lastIndexOf(':') + 1)];
    const found =
      entries.find(({ annotations }) => wanted.includes(annotations?.[refName] ?? '')) ??
      (entries.length === 1 && entries[0]?.annotations?.[refName] === undefined ? entries[0] : undefined);
    if (!found) {
      const names = entries.map(({ annotations }) => annotations?.[refName] ?? 'one without a name');
      throw new TerminalError(
        `the image layout ${this.folder} has no ${name}; it has ${names.join(', ') || 'nothing'}`,
      );
    }
    const digest = checkedDigest(found.digest);
    return asManifest({ value: (await this.json(blobPath(digest))) as object, digest });
  }

  async saveBlob(digest: string, file: string, maxBytes: number): Promise<void> {
    const blob = join(this.folder, blobPath(checkedDigest(digest)));
    const opened = await open(blob).catch((cause: unknown) => {
      throw new TerminalError(`${blob} cannot be read: ${(cause as Error).message}`, { cause });
    });
    // The stream closes it.
    await saveChecked(opened.createReadStream(), digest, file, maxBytes);
  }

  private async json(path: string): Promise<unknown> {
    const file = join(this.folder, path);
    try {
      return JSON.parse(await readFile(file, 'utf8')) ?? {};
    } catch (cause) {
      throw new TerminalError(`${file} cannot be read: ${(cause as Error).message}`, { cause });
    }
  }
}

function blobPath(digest: string): string {
  return join('blobs', ...digest.split(':'));
}
