import { chmod, lstat, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';

const everything = { recursive: true, force: true, maxRetries: 5 } as const;

/**
 * Removes a folder with everything in it; none is fine. Programs leave folders that cannot be written, as the module cache of Go:
 * an ordinary user has to make those writable first.
 */
export async function removeTree(path: string): Promise<void> {
  try {
    await rm(path, everything);
  } catch (error) {
    if (!hasCode(error, 'EACCES', 'EPERM')) throw error;
    await makeWritable(path);
    await rm(path, everything);
  }
}

/** Links are not followed: they may lead out of the folder. A removal that has failed at one place goes on at others meanwhile. */
async function makeWritable(folder: string): Promise<void> {
  try {
    if (!(await lstat(folder)).isDirectory()) return;
    await chmod(folder, 0o700);
    for (const entry of await readdir(folder, { withFileTypes: true }))
      if (entry.isDirectory()) await makeWritable(join(folder, entry.name));
  } catch (error) {
    if (!hasCode(error, 'ENOENT')) throw error;
  }
}

function hasCode(error: unknown, ...codes: readonly string[]): boolean {
  return codes.includes((error as NodeJS.ErrnoException).code ?? '');
}
