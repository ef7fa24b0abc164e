import { createHash } from 'node:crypto';
import { lstatSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';

/** A name for what belongs to a folder and has to lie elsewhere. */
export function nameFor(directory: string): string {
  return `tektite-host-${createHash('sha256').update(directory).digest('hex').slice(0, 12)}`;
}

/**
 * A folder in memory that is this process's user's alone, named after a folder on disk; the one on disk itself where there is
 * none. What is made for every start of a container goes there: making files costs a hundredth of what it does on disk.
 */
export function memoryFolder(directory: string): string {
  const folder = join('/dev/shm', nameFor(directory));
  try {
    mkdirSync(folder, { mode: 0o700 });
  } catch {
    // It is there, or cannot be.
  }
  try {
    // Any user may create folders there: a folder of another user is not used.
    const stat = lstatSync(folder);
    if (stat.isDirectory() && stat.uid === process.getuid?.() && (stat.mode & 0o077) === 0) return folder;
  } catch {
    // There is no such place on this machine.
  }
  return join(directory, 'control');
}
