import { stringifyJson } from '@tektite/meta';
import { createWriteStream, type WriteStream } from 'node:fs';
import type { AuditEvent } from './auditor.ts';

/** A slow disk must not fill the memory: beyond this, events are dropped and counted. */
const maxBufferedBytes = 64 * 1024 * 1024;

/** Appends audit events to a file, a line of JSON each, as upstream's log backend does. `-` is the standard output. */
export class AuditLog implements AsyncDisposable {
  private readonly stream: WriteStream | NodeJS.WriteStream;
  private readonly isOwn: boolean;
  private droppedCount = 0;

  private constructor(stream: WriteStream | NodeJS.WriteStream, isOwn: boolean) {
    this.stream = stream;
    this.isOwn = isOwn;
  }

  /** Rejects when the file cannot be opened. It is readable by its owner alone. */
  static async open(file: string, onError: (error: Error) => void): Promise<AuditLog> {
    if (file === '-') return new AuditLog(process.stdout, false);
    const stream = createWriteStream(file, { flags: 'a', mode: 0o600 });
    await new Promise((resolve, reject) => {
      stream.once('open', resolve);
      stream.once('error', reject);
    });
    stream.on('error', onError);
    return new AuditLog(stream, true);
  }

  /** How many events were dropped because the file could not take them. */
  get dropped(): number {
    return this.droppedCount;
  }

  write(event: AuditEvent): void {
    if (this.stream.writableLength > maxBufferedBytes) this.droppedCount++;
    else this.stream.write(`${stringifyJson(event)}\n`);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (!this.isOwn) return;
    await new Promise<void>((resolve) => {
      this.stream.end(() => resolve());
    });
  }
}
