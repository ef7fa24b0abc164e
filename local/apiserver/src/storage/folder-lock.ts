import { linkSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { FolderError } from './folder-error.ts';
import { isAlive, ownProcess, parseProcess, type ProcessIdentity } from './process-identity.ts';

const attempts = 5;

/**
 * Gives a folder to one process at a time, by a file that names it. A file left behind by a process that died is taken
 * over; whether it died is seen from the process table, so no crash can leave a folder locked.
 *
 * The file appears with its content or not at all, and a stale one is moved aside before it is judged for the last time,
 * so two processes that start at once do not both believe that they have the folder.
 */
export class FolderLock {
  private readonly file: string;
  private readonly content: string;

  private constructor(file: string, content: string) {
    this.file = file;
    this.content = content;
  }

  static async take(folder: string): Promise<FolderLock> {
    const file = join(folder, 'lock');
    const mine = join(folder, `lock.${process.pid}`);
    const content = JSON.stringify(ownProcess());
    writeFileSync(mine, content, { mode: 0o600 });
    try {
      for (let attempt = 0; attempt < attempts; attempt++) {
        if (tryLink(mine, file)) return new FolderLock(file, content);
        const found = readText(file);
        const holder = found === undefined ? undefined : parseProcess(found);
        if (holder && isAlive(holder)) {
          throw new FolderError(
            `${folder} is in use by process ${holder.pid}. Stop that one first, or choose another folder with --data-dir (or none with --in-memory).`,
          );
        }
        if (found !== undefined) removeStale(file, found);
      }
    } finally {
      rmSync(mine, { force: true });
    }
    throw new FolderError(`${folder} could not be locked: others keep taking it`);
  }

  /** The running process that holds the folder. */
  static holderOf(folder: string): ProcessIdentity | undefined {
    const found = readText(join(folder, 'lock'));
    const holder = found === undefined ? undefined : parseProcess(found);
    return holder && isAlive(holder) ? holder : undefined;
  }

  /** Gives the folder back, unless somebody else has it by now. */
  async release(): Promise<void> {
    if (readText(this.file) === this.content) rmSync(this.file, { force: true });
  }
}

/** Gives the lock file another name, if nobody has put one there. */
function tryLink(from: string, to: string): boolean {
  try {
    linkSync(from, to);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  }
}

/** Takes the file away if it still says what was judged stale; what somebody else has put there meanwhile goes back. */
function removeStale(file: string, stale: string): void {
  const aside = `${file}.stale.${process.pid}`;
  try {
    renameSync(file, aside);
  } catch {
    return;
  }
  if (readText(aside) !== stale) tryLink(aside, file);
  rmSync(aside, { force: true });
}

function readText(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return undefined;
  }
}
