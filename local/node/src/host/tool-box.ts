import { execFile } from 'node:child_process';
import { copyFile, mkdir } from 'node:fs/promises';
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
export async function makeToolBox({ tools }: Pick<HostMachine, 'tools'>, folder: string): Promise<InnerTools> {
  const programs = [tools.umount, tools.setpriv, tools.sh, tools.unshare];
  await mkdir(join(folder, 'lib'), { recursive: true, mode: 0o755 });
  const libraries = await librariesOf(tools.sh, programs);
  await Promise.all([
    ...programs.map((program) => copyFile(program, join(folder, basename(program)))),
    ...[...libraries].map(([name, path]) => copyFile(path, join(folder, 'lib', name))),
  ]);
  const loader = [...libraries.keys()].find((name) => /^ld-|^ld\.so/.test(name)) ?? '';
  const words = (program: string): string[] => {
    const inside = join(toolBoxPath, basename(program));
    if (loader === '') return [inside];
    const inLib = join(toolBoxPath, 'lib');
    return [join(inLib, loader), '--inhibit-cache', '--library-path', inLib, inside];
  };
  return {
    umount: words(tools.umount),
    setpriv: words(tools.setpriv),
    sh: words(tools.sh),
    unshare: words(tools.unshare),
  };
}

/** Not every `ldd` takes several programs; and one child of a shell is cheaper than one of this process, which is large. */
const lddScript = 'for program do ldd "$program"; done; true';

/** The libraries of the programs, by name. Nothing for static programs. */
async function librariesOf(sh: string, programs: readonly string[]): Promise<ReadonlyMap<string, string>> {
  const { stdout } = await run(sh, ['-c', lddScript, sh, ...programs]);
  const paths = [...stdout.matchAll(/(\/[^\s()]+) \(0x/g)].map(([, path = '']) => path);
  return new Map(paths.map((path) => [basename(path), path]));
}
