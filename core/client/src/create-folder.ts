import { mkdirSync, statSync } from 'node:fs';
import { dirname } from 'node:path';

/**
 * Creates a folder and those above it, as `mkdir` with `recursive` does, and returns the first that it created. For paths that
 * users name: Node's own never returns for a folder in /proc, where the kernel answers that there is no such folder although
 * the one above exists. That is an `ENOTSUP` here.
 */
export function createFolder(path: string, mode = 0o777): string | undefined {
  try {
    mkdirSync(path, { mode });
    return path;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'EEXIST' && isFolder(path)) return undefined;
    const above = dirname(path);
    if (code !== 'ENOENT' || above === path) throw error;
    if (isFolder(above))
      throw Object.assign(new Error(`${path}: folders cannot be created in ${above}`, { cause: error }), {
        code: 'ENOTSUP',
        path,
      });
    const first = createFolder(above, mode);
    return createFolder(path, mode) === undefined ? first : (first ?? path);
  }
}

function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
}
