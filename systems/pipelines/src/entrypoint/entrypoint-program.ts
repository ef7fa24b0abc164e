import { accessSync, constants } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** How far above this file the program may be: from the sources, the compiled package or the bundled command. */
const maximumLevels = 6;

/**
 * The path of the program that runs in every step container (`native/entrypoint`, compiled with the repository), or undefined
 * when it was not compiled. The same file serves as Tekton's `nop`, `workingdirinit` and `sidecarlogresults`.
 *
 * @example
 * const program = entrypointProgram();
 * if (program === undefined) throw new Error(entrypointMissing);
 */
export function entrypointProgram(): string | undefined {
  let folder = dirname(fileURLToPath(import.meta.url));
  for (let level = 0; level < maximumLevels; level++) {
    const path = join(folder, 'native', 'entrypoint', 'dist', 'entrypoint');
    if (isExecutable(path)) return path;
    folder = dirname(folder);
  }
  return undefined;
}

/** The error where {@link entrypointProgram} finds no program. */
export const entrypointMissing =
  'The program that runs steps is not compiled on this machine. Install a C compiler and its library ' +
  '(Debian and Ubuntu: apt-get install gcc libc6-dev; Fedora: dnf install gcc glibc-devel; Alpine: apk add gcc musl-dev), ' +
  'then run `npm run build`.';

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
