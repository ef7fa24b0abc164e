import { accessSync, constants } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The programs of `native/`. */
export type NativeProgram = 'entrypoint' | 'layers' | 'network' | 'sandbox';

/** How far above this file a checkout may be: from the sources, the compiled package or the bundled command. */
const maxLevels = 6;

/**
 * The path of a compiled program, or undefined where it is not there. A checkout compiles them into `native/NAME/dist`; an
 * installation has them in the package of its platform, which npm installs as an optional dependency.
 */
export function findNativeProgram(name: NativeProgram, from: string = import.meta.url): string | undefined {
  return inCheckout(name, from) ?? inPackage(name, from);
}

function inCheckout(name: NativeProgram, from: string): string | undefined {
  let folder = dirname(fileURLToPath(from));
  for (let level = 0; level < maxLevels; level++) {
    const path = join(folder, 'native', name, 'dist', name);
    if (isExecutable(path)) return path;
    folder = dirname(folder);
  }
  return undefined;
}

function inPackage(name: NativeProgram, from: string): string | undefined {
  try {
    const manifest = createRequire(from).resolve(`@tektite/native-linux-${process.arch}/package.json`);
    const path = join(dirname(manifest), 'bin', name);
    return isExecutable(path) ? path : undefined;
  } catch {
    return undefined;
  }
}

/** The end of an error where a program is missing. */
export const howToGetPrograms: string =
  process.platform === 'linux'
    ? 'In an installation from npm, install again without --omit=optional. In a checkout, install a C compiler and its library ' +
      '(Debian and Ubuntu: apt-get install gcc libc6-dev; Fedora: dnf install gcc glibc-devel; Alpine: apk add gcc musl-dev linux-headers), ' +
      'then run `npm run build`'
    : 'Pods run on Linux only';

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
