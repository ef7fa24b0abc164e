import { closeSync, constants, fstatSync, lstatSync, openSync, readlinkSync, readSync, type Stats } from 'node:fs';
import { join, posix } from 'node:path';

const maxLinks = 40;
const maxBytes = 1 << 20;

/**
 * The text of a file of an image, or nothing where it has none. Links are followed within the image, never on this machine: the
 * author of the image chose where they lead.
 */
export function readInLayers(layers: readonly string[], path: string): string {
  let parts = path.split('/').filter(Boolean);
  for (let links = 0; links < maxLinks; ) {
    const found = findLink(layers, parts);
    if (found.type === 'missing') return '';
    if (found.type === 'file') return readBounded(found.path);
    links++;
    const base = found.target.startsWith('/') ? '/' : `/${parts.slice(0, found.at).join('/')}`;
    parts = posix
      .resolve(base, found.target, ...parts.slice(found.at + 1))
      .split('/')
      .filter(Boolean);
  }
  return '';
}

type Found =
  | { readonly type: 'missing' }
  | { readonly type: 'file'; readonly path: string }
  | { readonly type: 'link'; readonly at: number; readonly target: string };

/** The file at a path, or the first link on the way. */
function findLink(layers: readonly string[], parts: readonly string[]): Found {
  let visible = layers;
  for (const [at] of parts.entries()) {
    const below: string[] = [];
    for (const layer of visible) {
      const here = join(layer, ...parts.slice(0, at + 1));
      const stat = lstatSync(here, { throwIfNoEntry: false });
      if (stat?.isSymbolicLink() && below.length === 0) return { type: 'link', at, target: readlinkSync(here) };
      if (stat?.isFile() && below.length === 0 && at === parts.length - 1) return { type: 'file', path: here };
      if (stat?.isDirectory()) below.push(layer);
      else if (stat) break;
    }
    if (below.length === 0) return { type: 'missing' };
    visible = below;
  }
  return { type: 'missing' };
}

function readBounded(path: string): string {
  const fd = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  try {
    const stat: Stats = fstatSync(fd);
    if (!stat.isFile()) return '';
    const bytes = Buffer.alloc(Math.min(stat.size, maxBytes));
    return bytes.toString('utf8', 0, readSync(fd, bytes, 0, bytes.length, 0));
  } finally {
    closeSync(fd);
  }
}
