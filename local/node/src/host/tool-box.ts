import { execFile } from 'node:child_process';
import { copyFileSync, existsSync, mkdirSync } from 'node:fs';
import { basename, join } from 'node:path';
import { promisify } from 'node:util';
import type { HostMachine } from './host-machine.ts';

const run = promisify(execFile);

/** Where a container finds the programs that start it. */
export const toolBoxPath = '/.tektite';

/** The programs that are run when a container's root is already its own. */
export interface InnerTools {
  /** Each as the words that run it. */
  readonly umount: readonly string[];
  readonly setpriv: readonly string[];
  readonly sh: readonly string[];
  readonly unshare: readonly string[];
}

/**
 * Copies of those programs, with their libraries and their loader, in one folder: a root may have none of them, or others by
 * their names, and who runs in a container may put others there. They are run by the loader directly, so that nothing of the image is used to find their libraries.
 */
export async function makeToolBox({ tools }: HostMachine, folder: string): Promise<InnerTools> {
  mkdirSync(join(folder, 'lib'), { recursive: true, mode: 0o755 });
  let loader = '';
  for (const program of [tools.umount, tools.setpriv, tools.sh, tools.unshare]) {
    copyFileSync(program, join(folder, basename(program)));
    const { stdout } = await run('ldd', [program]).catch(() => ({ stdout: '' }));
    for (const [, path = ''] of stdout.matchAll(/(\/[^\s()]+) \(0x/g)) {
      const name = basename(path);
      if (/^ld-|^ld\.so/.test(name)) loader = name;
      if (!existsSync(join(folder, 'lib', name))) copyFileSync(path, join(folder, 'lib', name));
    }
  }
  const words = (program: string): string[] => {
    const inside = join(toolBoxPath, basename(program));
    if (loader === '') return [inside];
    const libraries = join(toolBoxPath, 'lib');
    return [join(libraries, loader), '--inhibit-cache', '--library-path', libraries, inside];
  };
  return {
    umount: words(tools.umount),
    setpriv: words(tools.setpriv),
    sh: words(tools.sh),
    unshare: words(tools.unshare),
  };
}
