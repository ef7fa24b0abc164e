import { execFile } from 'node:child_process';
import { constants, fchownSync, openSync, rmSync, unlinkSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { Socket } from 'node:net';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);
const batch = 32;

/** The two ends of a pipe. */
export interface Fifo {
  readonly reader: Socket;
  /** To be given to a process, and then closed here. */
  readonly writerFd: number;
}

/**
 * Real pipes for what containers print. Node's own are sockets, which a program cannot open by name: `echo > /dev/stdout`
 * would fail. They are made ahead, many at a time, because each batch is a process.
 */
export class FifoPool {
  private readonly directory: string;
  private names: string[] = [];
  private filling: Promise<void> | undefined;
  private next = 0;

  constructor(directory: string) {
    this.directory = directory;
  }

  /** Starts empty: leftovers of another process in the folder are removed. */
  async open(): Promise<void> {
    rmSync(this.directory, { recursive: true, force: true });
    await mkdir(this.directory, { recursive: true, mode: 0o700 });
    await this.fill();
  }

  /** `owner` may open its end again, as programs do with `/dev/stdout`. */
  async take(owner?: { readonly uid: number; readonly gid: number }): Promise<Fifo> {
    while (this.names.length === 0) await this.fill();
    const path = this.names.pop() as string;
    if (this.names.length < batch / 2) void this.fill().catch(() => undefined);
    const readerFd = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
    const writerFd = openSync(path, constants.O_WRONLY);
    if (owner) fchownSync(writerFd, owner.uid, owner.gid);
    // No other process can find it; only the two open ends remain.
    unlinkSync(path);
    return { reader: new Socket({ fd: readerFd, readable: true, writable: false }), writerFd };
  }

  private fill(): Promise<void> {
    this.filling ??= this.make().finally(() => {
      this.filling = undefined;
    });
    return this.filling;
  }

  private async make(): Promise<void> {
    const names = Array.from({ length: batch }, () => join(this.directory, `${this.next++}`));
    await run('mkfifo', ['-m', '600', ...names]);
    this.names.push(...names);
  }
}
