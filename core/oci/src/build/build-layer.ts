import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { mediaTypes } from './media-types.ts';
import { tarEnd, type TarEntry, tarHeader, tarPadding } from './tar-blocks.ts';

/** A file of a layer, at a path without a leading slash. */
export interface LayerFile extends Omit<TarEntry, 'name' | 'size'> {
  readonly path: string;
  readonly content?: Uint8Array;
}

/** A layer, as images refer to it. */
export interface BuiltLayer {
  readonly mediaType: string;
  /** Of the compressed content. */
  readonly digest: string;
  readonly content: Uint8Array;
  /** Of the archive within. */
  readonly diffId: string;
  readonly unpackedBytes: number;
}

const compress = promisify(gzip);

/**
 * Makes a layer of files. Folders above them are added, readable by everyone, unless they are listed.
 *
 * Guarantees: the same files give the same bytes, in whatever order they come, with the same version of zlib. Folders come before what is
 * in them, and a hard link after its target.
 */
export async function buildLayer(files: readonly LayerFile[]): Promise<BuiltLayer> {
  const all = new Map(files.map((file) => [file.path, file]));
  if (all.size < files.length) throw new RangeError('a layer lists a path twice');
  for (const { path } of files)
    for (let at = path.indexOf('/'); at >= 0; at = path.indexOf('/', at + 1)) {
      const folder = path.slice(0, at);
      if (!all.has(folder)) all.set(folder, { path: folder, type: 'folder', mode: 0o755 });
    }
  const sorted = [...all.values()].sort((a, b) => rank(a) - rank(b) || (a.path < b.path ? -1 : 1));
  const archive = Buffer.concat([...sorted.flatMap(blocksOf), tarEnd()]);
  // Higher levels take three times as long for one or two per cent.
  const content = await compress(archive, { level: 6 });
  return {
    mediaType: mediaTypes.layer,
    digest: digestOf(content),
    content,
    diffId: digestOf(archive),
    unpackedBytes: files.reduce((sum, file) => sum + (file.content?.length ?? 0), 0),
  };
}

export function digestOf(content: Uint8Array): string {
  return `sha256:${createHash('sha256').update(content).digest('hex')}`;
}

const rank = ({ type }: LayerFile) => (type === 'hardlink' ? 1 : 0);

function blocksOf({ path, content, ...entry }: LayerFile): readonly Uint8Array[] {
  if (path === '' || path.startsWith('/') || path.split('/').includes('..'))
    throw new RangeError(`a layer cannot have the path ${JSON.stringify(path)}`);
  const name = entry.type === 'folder' ? `${path}/` : path;
  const body = content ?? new Uint8Array();
  return [tarHeader({ ...entry, name, size: body.length }), body, tarPadding(body.length)];
}
