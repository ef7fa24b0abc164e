import { type FileHandle, mkdir, open, rename, rm, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { Clock } from '@tektite/meta';
import type { OutputSink, OutputStream } from '../runtime/pod-runtime.ts';
import { LineSplitter } from './line-splitter.ts';
import { logTime } from './log-line.ts';

export interface LogLimits {
  /** A file that exceeds this size is rotated. Default 10 MiB. */
  readonly maxBytes: number;
  /** How many files are kept of one container. Default 5. */
  readonly maxFiles: number;
}

export const defaultLogLimits: LogLimits = { maxBytes: 10 * 1024 * 1024, maxFiles: 5 };

/** How much may wait to be written before the container has to wait. */
const highWater = 1024 * 1024;

/**
 * The log of a container that runs: a file of lines, written in the order they came. The file comes into being with the
 * first line. Files that were put aside have the same name with `.1` (the newest), `.2`, ... behind it.
 */
export class ContainerLog implements OutputSink {
  readonly path: string;
  private readonly clock: Clock;
  private readonly limits: LogLimits;
  private readonly splitter = new LineSplitter();
  private readonly watchers = new Set<() => void>();
  private readonly listeners = new Set<(stream: OutputStream, chunk: Uint8Array) => void>();
  private pending: Buffer[] = [];
  private pendingBytes = 0;
  private writing: Promise<void> | undefined;
  private file: FileHandle | undefined;
  private size = 0;
  private ended = false;
  private closedFlag = false;
  private rotationCount = 0;
  private hasFailed = false;
  private readonly onError: (error: Error) => void;

  /** `onError` is called once, when lines are lost: the disk is full, for example. */
  constructor(
    path: string,
    clock: Clock,
    limits: LogLimits = defaultLogLimits,
    onError: (error: Error) => void = () => undefined,
  ) {
    this.onError = onError;
    this.path = path;
    this.clock = clock;
    this.limits = limits;
  }

  /** Whether all is written and no more will come. */
  get closed(): boolean {
    return this.closedFlag;
  }

  /** Whether the container has printed nothing yet. */
  get isEmpty(): boolean {
    return this.size === 0 && this.pendingBytes === 0 && this.rotationCount === 0;
  }

  /** How often the file was put aside. */
  get rotations(): number {
    return this.rotationCount;
  }

  write(stream: OutputStream, chunk: Uint8Array): boolean {
    if (this.ended || chunk.length === 0) return true;
    for (const listener of this.listeners) listener(stream, chunk);
    this.enqueue(this.splitter.push(stream, chunk, logTime(this.clock.now())));
    return this.pendingBytes < highWater;
  }

  async drained(): Promise<void> {
    while (this.writing && this.pendingBytes >= highWater) await this.writing;
  }

  /** Writes what is left. Afterwards nothing more is taken. */
  async close(): Promise<void> {
    if (!this.ended) {
      this.ended = true;
      this.enqueue(this.splitter.end(logTime(this.clock.now())));
    }
    while (this.writing) await this.writing;
    if (this.closedFlag) return;
    this.closedFlag = true;
    await this.file?.close().catch(() => undefined);
    this.file = undefined;
    this.changed();
  }

  /** Gives what the container prints from now on, as it comes. */
  listen(listener: (stream: OutputStream, chunk: Uint8Array) => void): Disposable {
    this.listeners.add(listener);
    return { [Symbol.dispose]: () => void this.listeners.delete(listener) };
  }

  /** Calls `changed` when there is more to read, and when it is closed. */
  watch(changed: () => void): Disposable {
    this.watchers.add(changed);
    return { [Symbol.dispose]: () => void this.watchers.delete(changed) };
  }

  private enqueue(lines: readonly Buffer[]): void {
    if (lines.length === 0) return;
    for (const line of lines) {
      this.pending.push(line);
      this.pendingBytes += line.length;
    }
    this.writing ??= this.flush().finally(() => {
      this.writing = undefined;
    });
  }

  private async flush(): Promise<void> {
    while (this.pending.length > 0) {
      const batch = Buffer.concat(this.pending);
      this.pending = [];
      try {
        await this.append(batch);
      } catch (error) {
        this.fail(error as NodeJS.ErrnoException);
      }
      this.pendingBytes -= batch.length;
      this.changed();
    }
  }

  private fail(cause: NodeJS.ErrnoException): void {
    if (this.hasFailed) return;
    this.hasFailed = true;
    // Errors of open files do not name them.
    const error = new Error(`lines of the log ${this.path} are lost: ${cause.message}`, { cause });
    this.onError(Object.assign(error, { path: this.path, ...(cause.code ? { code: cause.code } : {}) }));
  }

  private async append(batch: Buffer): Promise<void> {
    this.file ??= await this.openFile();
    await this.file.appendFile(batch);
    this.size += batch.length;
    if (this.size >= this.limits.maxBytes) await this.rotate();
  }

  private async openFile(): Promise<FileHandle> {
    await mkdir(dirname(this.path), { recursive: true, mode: 0o700 });
    const file = await open(this.path, 'a', 0o600);
    this.size = (await stat(this.path)).size;
    return file;
  }

  private async rotate(): Promise<void> {
    await this.file?.close();
    this.file = undefined;
    const last = this.limits.maxFiles - 1;
    await rm(`${this.path}.${last}`, { force: true });
    for (let i = last - 1; i >= 1; i--)
      await rename(`${this.path}.${i}`, `${this.path}.${i + 1}`).catch(() => undefined);
    if (last >= 1) await rename(this.path, `${this.path}.1`);
    else await rm(this.path, { force: true });
    this.size = 0;
    this.rotationCount++;
  }

  private changed(): void {
    for (const watcher of this.watchers) watcher();
  }
}
