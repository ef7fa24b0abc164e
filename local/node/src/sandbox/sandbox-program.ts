import { accessSync, constants } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { RuntimeError } from '../runtime/runtime-error.ts';

/** How far above this file the program may be: from the sources, the compiled package or the bundled command. */
const maxLevels = 6;

/** The path of the program that makes containers (`native/sandbox`, compiled with the repository). */
export function sandboxProgram(): string {
  let folder = dirname(fileURLToPath(import.meta.url));
  for (let level = 0; level < maxLevels; level++) {
    const path = join(folder, 'native', 'sandbox', 'dist', 'sandbox');
    if (isExecutable(path)) return path;
    folder = dirname(folder);
  }
  throw new RuntimeError(
    'SANDBOX_MISSING',
    'the program that makes containers is not compiled on this machine. Install a C compiler and its library (Debian and Ubuntu: apt-get install gcc libc6-dev; Fedora: dnf install gcc glibc-devel; Alpine: apk add gcc musl-dev linux-headers), then run `npm run build`; or use another runtime (podman, simulated)',
  );
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
