import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** Who holds a folder. `started` tells a process from a later one with the same number. */
interface Holder {
  readonly pid: number;
  readonly started: string;
}

const attempts = 3;

/**
 * Gives a folder to one process at a time, by a file that names it. A file left behind by a process that died is taken
 * over; whether it died is seen from the process table, so no crash can leave a folder locked.
 */
export class FolderLock {
  private readonly file: string;

  private constructor(file: string) {
    this.file = file;
  }

  static async take(folder: string): Promise<FolderLock> {
    const file = join(folder, 'lock');
    const me: Holder = { pid: process.pid, started: startOf(process.pid) ?? '' };
    for (let attempt = 0; attempt < attempts; attempt++) {
      try {
        writeFileSync(file, JSON.stringify(me), { flag: 'wx', mode: 0o600 });
        return new FolderLock(file);
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
      }
      const holder = read(file);
      if (holder && isAlive(holder)) {
        throw new Error(
          `${folder} is in use by process ${holder.pid}. Stop that one first, or choose another folder with --data-dir (or none with --in-memory).`,
        );
      }
      rmSync(file, { force: true });
    }
    throw new Error(`${folder} could not be locked: others keep taking it`);
  }

  async release(): Promise<void> {
    rmSync(this.file, { force: true });
  }
}

function read(file: string): Holder | undefined {
  try {
    const { pid, started } = JSON.parse(readFileSync(file, 'utf8')) as Partial<Holder>;
    return typeof pid === 'number' ? { pid, started: started ?? '' } : undefined;
  } catch {
    return undefined;
  }
}

function isAlive({ pid, started }: Holder): boolean {
  try {
    process.kill(pid, 0);
  } catch (error) {
    // EPERM: it lives, but belongs to somebody else.
    if ((error as NodeJS.ErrnoException).code !== 'EPERM') return false;
  }
  const now = startOf(pid);
  return now === undefined || started === '' || now === started;
}

/** When a process began, in the kernel's own unit; `undefined` where there is no process table to read. */
function startOf(pid: number): string | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19];
  } catch {
    return undefined;
  }
}
