import { spawn } from 'node:child_process';
import { closeSync, fstatSync, openSync, statSync } from 'node:fs';
import { StoreError } from '../store-error.ts';

/**
 * A lock that the kernel keeps on an open file (flock). It holds across processes and containers of one machine, and ends with the
 * process that has it, however that ends.
 *
 * The lock belongs to the open file, and Node cannot ask for it: the program `flock` inherits the file, locks it and exits. The lock
 * stays as long as the file is open here.
 */
export class FileLock implements Disposable {
  readonly path: string;
  private fd: number | undefined;

  private constructor(path: string, fd: number) {
    this.path = path;
    this.fd = fd;
  }

  /** Waits for the lock. Files may be deleted by their holders: a lock of a file that has no name any more is not one. */
  static async take(path: string, signal?: AbortSignal): Promise<FileLock> {
    for (;;) {
      const lock = await FileLock.attempt(path, [], signal);
      if (lock) return lock;
    }
  }

  /** The lock, or undefined when another process keeps it. */
  static tryTake(path: string): Promise<FileLock | undefined> {
    return FileLock.attempt(path, ['-n']);
  }

  /** The descriptor, which is open for reading and appending. */
  get descriptor(): number {
    if (this.fd === undefined) throw new Error(`${this.path} is not locked any more`);
    return this.fd;
  }

  [Symbol.dispose](): void {
    if (this.fd !== undefined) closeSync(this.fd);
    this.fd = undefined;
  }

  private static async attempt(
    path: string,
    options: readonly string[],
    signal?: AbortSignal,
  ): Promise<FileLock | undefined> {
    const fd = openSync(path, 'a+', 0o600);
    const isLocked = await lockDescriptor(fd, options, signal).catch((error: unknown) => {
      closeSync(fd);
      throw error;
    });
    if (isLocked && isNamed(path, fd)) return new FileLock(path, fd);
    closeSync(fd);
    return undefined;
  }
}

function isNamed(path: string, fd: number): boolean {
  const found = statSync(path, { bigint: true, throwIfNoEntry: false });
  const own = fstatSync(fd, { bigint: true });
  return found?.ino === own.ino && found.dev === own.dev;
}

function lockDescriptor(fd: number, options: readonly string[], signal?: AbortSignal): Promise<boolean> {
  return new Promise((resolve, reject) => {
    const child = spawn('flock', [...options, '3'], {
      stdio: ['ignore', 'ignore', 'ignore', fd],
      ...(signal ? { signal } : {}),
    });
    child.once('error', (cause) =>
      reject(
        signal?.aborted
          ? signal.reason
          : new StoreError('PROGRAM_MISSING', 'the program flock (package util-linux) is needed for the image store', {
              cause,
            }),
      ),
    );
    // 1: another process keeps it. Other codes: the file system has no locks.
    child.once('exit', (code) => {
      if (code === 0 || code === 1) resolve(code === 0);
      else reject(signal?.aborted ? signal.reason : new Error(`flock ended with ${code}: the folder cannot be locked`));
    });
  });
}
