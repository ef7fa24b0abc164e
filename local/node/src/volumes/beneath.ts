import { closeSync, constants, mkdirSync, openSync, readlinkSync, writeFileSync } from 'node:fs';

/** A path that would lead out of where it has to stay, or through something that is no folder. */
export class PathEscapeError extends Error {}

const { O_RDONLY, O_DIRECTORY, O_NOFOLLOW, O_NONBLOCK } = constants;
/** Opens the place alone, of whatever type it is. Node.js has no name for it. */
const O_PATH = 0o10000000;

/** The parts of a relative path. Throws when it is absolute or has `..` in it. */
export function relativeParts(path: string): string[] {
  if (path.startsWith('/')) throw new PathEscapeError(`${path} must be a relative path`);
  const parts = path.split('/').filter((part) => part !== '' && part !== '.');
  if (parts.includes('..')) throw new PathEscapeError(`${path} must not contain '..'`);
  if (path.includes('\0')) throw new PathEscapeError('a path contains a null byte');
  return parts;
}

export interface BeneathOptions {
  /** Make what is missing: folders on the way, and at the end a folder or an empty file. */
  readonly create?: 'folder' | 'file';
  /** Of what is at the end. Folders on the way can be gone through by those who can read it. */
  readonly mode?: number;
}

/**
 * Opens a relative path below a folder, part by part, each from the one before. Links are never followed, so a
 * container that can write there cannot redirect the path, not even by exchanging parts concurrently. The caller closes
 * it.
 *
 * Links inside of volumes that point to places inside of the same volume are rejected too: that is stricter than a
 * kubelet.
 */
export function openBeneath(root: string, path: string, options: BeneathOptions = {}): number {
  const parts = relativeParts(path);
  let current = openSync(root, O_RDONLY | O_DIRECTORY);
  for (const [index, part] of parts.entries()) {
    const last = index === parts.length - 1;
    try {
      const next = openPart(current, part, path, last, options);
      closeSync(current);
      current = next;
    } catch (error) {
      closeSync(current);
      throw error;
    }
  }
  return current;
}

/** Opens a path of this machine, links included, so that it can be mounted whatever happens to its name. The caller closes it. */
export function openPath(path: string): number {
  return openSync(path, O_PATH);
}

/** The true path of what a descriptor is open on. */
export function pathOfDescriptor(fd: number): string {
  return readlinkSync(`/proc/self/fd/${fd}`);
}

function openPart(parent: number, part: string, whole: string, last: boolean, options: BeneathOptions): number {
  // The kernel takes this for "relative to that descriptor".
  const at = `/proc/self/fd/${parent}/${part}`;
  const flags = O_RDONLY | O_NOFOLLOW | O_NONBLOCK | (last ? 0 : O_DIRECTORY);
  try {
    return openSync(at, flags);
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code;
    if (code === 'ELOOP' || code === 'ENOTDIR')
      throw new PathEscapeError(`${whole} leads through a link or a file (${part})`, { cause: error });
    if (code !== 'ENOENT' || !options.create) throw error;
  }
  if (last && options.create === 'file') writeFileSync(at, '', { flag: 'wx', mode: options.mode ?? 0o644 });
  else mkdirSync(at, { mode: folderMode(options) });
  return openSync(at, flags);
}

/** A folder without the search permission is of no use, least of all to its creator. */
function folderMode({ mode = 0o750 }: BeneathOptions): number {
  return mode | ((mode & 0o444) >> 2);
}
