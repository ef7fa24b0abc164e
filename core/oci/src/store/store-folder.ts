import { createHash, randomUUID } from 'node:crypto';
import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';

/** `~/.cache/tektite/images`, or below `XDG_CACHE_HOME`. */
export function defaultStoreFolder(env: Readonly<Record<string, string | undefined>> = process.env): string {
  return join(env['XDG_CACHE_HOME'] || join(homedir(), '.cache'), 'tektite', 'images');
}

/**
 * The paths of an image store. Everything that counts appears by one rename and is complete when it does.
 *
 * | Path | Content |
 * |---|---|
 * | `blobs/HEX` | manifests, configurations and compressed layers, as registries have them |
 * | `partial/HEX` | blobs that are being downloaded; `HEX.lock` beside them is locked meanwhile |
 * | `layers/HEX/fs` | an unpacked layer, by the digest of its archive; `layer.json` beside it |
 * | `images/HEX.json` | an image whose layers are all there, by the digest of its manifest; its time is that of its last use |
 * | `names/HEX.json` | the image that a name stands for, by the digest of the name |
 * | `leases/ID` | what a running process uses; locked as long as it runs |
 * | `tmp/ID-…` | unfinished work of the process with that lease |
 */
export class StoreFolder {
  readonly path: string;

  constructor(path: string) {
    this.path = path;
  }

  /** Layers hold setuid programs of strangers: only this user may enter. */
  async create(): Promise<void> {
    await mkdir(this.path, { recursive: true, mode: 0o700 });
    const parts = ['blobs', 'partial', 'layers', 'images', 'names', 'leases', 'tmp'];
    await Promise.all(parts.map((part) => mkdir(join(this.path, part), { recursive: true, mode: 0o700 })));
  }

  blob = (digest: string): string => join(this.path, 'blobs', hexOf(digest));
  partial = (digest: string): string => join(this.path, 'partial', hexOf(digest));
  layer = (diffId: string): string => join(this.path, 'layers', hexOf(diffId));
  layerFiles = (diffId: string): string => join(this.layer(diffId), 'fs');
  image = (digest: string): string => join(this.path, 'images', `${hexOf(digest)}.json`);
  name = (name: string): string => join(this.path, 'names', `${createHash('sha256').update(name).digest('hex')}.json`);
  lease = (id: string): string => join(this.path, 'leases', id);
  temporary = (lease: string): string => join(this.path, 'tmp', `${lease}-${randomUUID()}`);

  /** Bytes of an unpacked layer; undefined when there is none. */
  async layerSize(diffId: string): Promise<number | undefined> {
    return (await this.read<{ readonly bytes: number }>(join(this.layer(diffId), 'layer.json')))?.bytes;
  }

  list(part: 'blobs' | 'partial' | 'layers' | 'images' | 'names' | 'leases' | 'tmp'): Promise<string[]> {
    return readdir(join(this.path, part));
  }

  /** A small blob; undefined when it is not there, or not what its digest says. */
  async readBlob(digest: string): Promise<Uint8Array | undefined> {
    const body = await readFile(this.blob(digest)).catch(() => undefined);
    return body && `sha256:${createHash('sha256').update(body).digest('hex')}` === digest ? body : undefined;
  }

  /** Replaces a file at once. */
  async write(path: string, content: string | Uint8Array, lease: string): Promise<void> {
    const temporary = this.temporary(lease);
    try {
      await writeFile(temporary, content, { mode: 0o600 });
      await rename(temporary, path);
    } catch (error) {
      await rm(temporary, { force: true });
      throw error;
    }
  }

  /** A JSON file of the store; undefined when there is none. */
  async read<T>(path: string): Promise<T | undefined> {
    try {
      return JSON.parse(await readFile(path, 'utf8')) as T;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT' || error instanceof SyntaxError) return undefined;
      throw error;
    }
  }
}

/** Digests are checked where they come in; this is the last fence before they become paths. */
function hexOf(digest: string): string {
  const hex = /^sha256:([0-9a-f]{64})$/.exec(digest)?.[1];
  if (hex === undefined) throw new Error(`not a digest: ${JSON.stringify(digest)}`);
  return hex;
}
