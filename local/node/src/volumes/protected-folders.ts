import { realpathSync } from 'node:fs';
import { basename, dirname, join, relative, resolve } from 'node:path';

/**
 * Folders of this machine that no volume of a Pod may show: the keys and the data of the control plane, the image store.
 * Paths are compared without links, so that no link leads into them.
 */
export class ProtectedFolders {
  private readonly folders: readonly string[];
  private readonly claims: string | undefined;

  /** `claims` is the folder of claims in one of them. Volumes that are bound to claims may lie there. */
  constructor(folders: readonly string[], claims?: string) {
    this.folders = folders.map(withoutLinks);
    this.claims = claims === undefined ? undefined : withoutLinks(claims);
  }

  /** Throws for a path in one of the folders. The path need not exist. */
  deny(path: string, isClaim: boolean): void {
    const real = withoutLinks(path);
    if (isClaim && this.claims !== undefined && isBelow(real, this.claims)) return;
    if (this.folders.some((folder) => real === folder || isBelow(real, folder)))
      throw new Error(`${path} is where this node keeps its own data`);
  }

  /** The folders below a path without links, relative to it: mounts of the path have to cover them. */
  below(real: string): string[] {
    return this.folders.filter((folder) => isBelow(folder, real)).map((folder) => relative(real, folder));
  }
}

function isBelow(path: string, folder: string): boolean {
  return path !== folder && path.startsWith(folder === '/' ? '/' : `${folder}/`);
}

/** The path with all links followed, as far as it exists. */
function withoutLinks(path: string): string {
  const absolute = resolve(path);
  try {
    return realpathSync(absolute);
  } catch {
    if (absolute === '/') return absolute;
    return join(withoutLinks(dirname(absolute)), basename(absolute));
  }
}
