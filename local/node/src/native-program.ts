import { accessSync, constants } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** How far above this file a program may be: from the sources, the compiled package or the bundled command. */
const maxLevels = 6;

/** The path of a program of `native/`, compiled with the repository, if it is there. */
export function findNativeProgram(name: string): string | undefined {
  let folder = dirname(fileURLToPath(import.meta.url));
  for (let level = 0; level < maxLevels; level++) {
    const path = join(folder, 'native', name, 'dist', name);
    if (isExecutable(path)) return path;
    folder = dirname(folder);
  }
  return undefined;
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
