import { spawn } from 'node:child_process';
import { closeSync, fstatSync, ftruncateSync, openSync, readFileSync, statSync, writeSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { FolderError } from './folder-error.ts';
import { isAlive, ownProcess, parseProcess, type ProcessIdentity } from './process-identity.ts';

/** Written into the lock file for people and other commands; the kernel's lock decides. */
interface Holder extends ProcessIdentity {
  readonly host: string;
}

/** A holder that was killed a moment ago may still be exiting. */
const waitSeconds = 1;

/**
 * Gives a folder to one process at a time, by a lock that the kernel keeps on an open file (flock). It holds across PID
 * namespaces and containers of one machine, and ends with the process that has it, however that ends.
 *
 * The lock belongs to the open file, not to the process that asked for it, and Node cannot ask itself: the `flock` program
 * inherits the file, locks it and exits, and the lock stays as long as the file is open here.
 */
export class FolderLock {
  private readonly file: string;
  private fd: number | undefined;
  private readonly inode: bigint;
  private readonly device: bigint;

  private constructor(file: string, fd: number) {
    this.file = file;
    this.fd = fd;
    ({ ino: this.inode, dev: this.device } = fstatSync(fd, { bigint: true }));
  }

  static async take(folder: string): Promise<FolderLock> {
    const file = join(folder, 'lock');
    const fd = openSync(file, 'a+', 0o600);
    try {
      if (!(await lockFile(fd))) throw inUse(folder, file);
      const lock = new FolderLock(file, fd);
      if (!lock.isHeld()) throw new FolderError(`${file} was replaced while it was locked. Start again.`);
      lock.announce();
      return lock;
    } catch (error) {
      closeSync(fd);
      throw error;
    }
  }

  /** The running process that holds the folder, as far as this one can see processes. */
  static holderOf(folder: string): ProcessIdentity | undefined {
    const holder = readHolder(join(folder, 'lock'));
    return holder?.host === hostname() && isAlive(holder) ? holder : undefined;
  }

  /** False when the file was deleted or replaced: another process can hold the new one. */
  isHeld(): boolean {
    if (this.fd === undefined) return false;
    const found = statSync(this.file, { bigint: true, throwIfNoEntry: false });
    return found?.ino === this.inode && found.dev === this.device;
  }

  async release(): Promise<void> {
    if (this.fd === undefined) return;
    // The file stays: deleting it would let two processes lock two files of one name.
    ftruncateSync(this.fd);
    closeSync(this.fd);
    this.fd = undefined;
  }

  private announce(): void {
    const holder: Holder = { ...ownProcess(), host: hostname() };
    try {
      ftruncateSync(this.fd as number);
      writeSync(this.fd as number, JSON.stringify(holder));
    } catch {
      // A full disk: the lock holds without its text.
    }
  }
}

/** Locks a file that is open here; false when another process keeps the lock. */
function lockFile(fd: number): Promise<boolean> {
  return new Promise((resolve, reject) => {
    const child = spawn('flock', ['-w', String(waitSeconds), '3'], { stdio: ['ignore', 'ignore', 'ignore', fd] });
    child.once('error', (cause) =>
      reject(new FolderError('the program flock (package util-linux) is needed to lock the data folder', { cause })),
    );
    child.once('exit', (code) => resolve(code === 0));
  });
}

function inUse(folder: string, file: string): FolderError {
  const holder = readHolder(file);
  const name = holder
    ? `process ${holder.pid}${holder.host === hostname() ? '' : ` on ${holder.host}`}`
    : 'another process';
  return new FolderError(
    `${folder} is in use by ${name}. Stop that one first, or choose another folder with --data-dir (or none with --in-memory).`,
  );
}

function readHolder(file: string): Holder | undefined {
  try {
    const text = readFileSync(file, 'utf8');
    const holder = parseProcess(text);
    return holder && { ...holder, host: String((JSON.parse(text) as Partial<Holder>).host) };
  } catch {
    return undefined;
  }
}
