import { type Clock, stringifyJson, systemClock } from '@tektite/meta';
import { createWriteStream, openSync, renameSync, statSync, type WriteStream } from 'node:fs';
import type { AuditEvent } from './auditor.ts';
import { backupName, type KeptBackups, removeOldBackups } from './log-backups.ts';

/** A slow disk must not fill the memory: beyond this, events are dropped and counted. */
const maxBufferedBytes = 64 * 1024 * 1024;

/** When a log is rotated, and which of its backups stay. Without limits, all do. */
export interface LogRotation extends KeptBackups {
  /** The file is renamed before it gets longer than this. */
  readonly maxBytes: number;
}

/** A megabyte, as the flags of kube-apiserver count. */
const megabyte = 1024 * 1024;
export const defaultRotation: LogRotation = { maxBytes: 100 * megabyte };

/**
 * Appends audit events to a file, a line of JSON each, as upstream's log backend does. `-` is the standard output. A file that
 * would become too long is renamed with the time in its name, and a new one is begun.
 */
export class AuditLog implements AsyncDisposable {
  private readonly file: string | undefined;
  private readonly rotation: LogRotation;
  private readonly onError: (error: Error) => void;
  private readonly clock: Clock;
  private stream: WriteStream | NodeJS.WriteStream;
  private bytes: number;
  /** Files that were rotated away and are still being written. */
  private readonly closing = new Set<Promise<void>>();
  private droppedCount = 0;

  private constructor(
    file: string | undefined,
    stream: WriteStream | NodeJS.WriteStream,
    rotation: LogRotation,
    onError: (error: Error) => void,
    clock: Clock,
  ) {
    this.file = file;
    this.stream = stream;
    this.bytes = file === undefined ? 0 : statSync(file).size;
    this.rotation = rotation;
    this.onError = onError;
    this.clock = clock;
  }

  /** Throws when the file cannot be opened. It is readable by its owner alone. */
  static open(
    file: string,
    onError: (error: Error) => void,
    rotation: LogRotation = defaultRotation,
    clock: Clock = systemClock,
  ): AuditLog {
    if (file === '-') return new AuditLog(undefined, process.stdout, rotation, onError, clock);
    return new AuditLog(file, append(file).on('error', onError), rotation, onError, clock);
  }

  /** How many events were dropped because the file could not take them. */
  get dropped(): number {
    return this.droppedCount;
  }

  write(event: AuditEvent): void {
    if (this.stream.writableLength > maxBufferedBytes) {
      this.droppedCount++;
      return;
    }
    const line = Buffer.from(`${stringifyJson(event)}\n`);
    if (this.file !== undefined && this.bytes > 0 && this.bytes + line.length > this.rotation.maxBytes)
      this.rotate(this.file);
    this.bytes += line.length;
    this.stream.write(line);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.file !== undefined) this.end();
    await Promise.all(this.closing);
  }

  /** Writes to the old file that are still queued go on by its descriptor. */
  private rotate(file: string): void {
    const now = this.clock.now();
    let next: WriteStream;
    try {
      renameSync(file, backupName(file, now));
      next = append(file).on('error', this.onError);
    } catch (error) {
      // The log goes on where it is, and is rotated when it has grown as much once more.
      this.bytes = 0;
      this.onError(error as Error);
      return;
    }
    this.end();
    this.stream = next;
    this.bytes = 0;
    this.track(removeOldBackups(file, this.rotation, now).catch((error: unknown) => this.onError(error as Error)));
  }

  private end(): void {
    const { stream } = this;
    if (stream.closed) return;
    this.track(
      new Promise<void>((resolve) => {
        stream.once('close', resolve);
        stream.end();
      }),
    );
  }

  private track(work: Promise<void>): void {
    this.closing.add(work);
    void work.finally(() => this.closing.delete(work));
  }
}

function append(file: string): WriteStream {
  // Opened at once: the next rotation may come before the first write.
  return createWriteStream(file, { fd: openSync(file, 'a', 0o600) });
}
