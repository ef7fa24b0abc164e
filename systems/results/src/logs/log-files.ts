import { createReadStream } from 'node:fs';
import { mkdir, open, rename, rm, rmdir, stat } from 'node:fs/promises';
import { dirname, join, normalize } from 'node:path';

/** A longer log is refused: it would fill the disk. */
const maxLogBytes = 1024 * 1024 * 1024;
const chunkBytes = 64 * 1024;

/** A log that is too long to be kept. */
export class LogSizeError extends Error {
  constructor() {
    super(`the log has more than ${maxLogBytes} bytes`);
  }
}

/**
 * Logs as files of a folder, as upstream's type `File` has them. A log appears when it is complete: a crash leaves the one before, or none.
 */
export class LogFiles {
  private readonly folder: string;
  private parts = 0;

  constructor(folder: string) {
    this.folder = folder;
  }

  /** Writes a log; one that was there is replaced. Returns its length. */
  async write(path: string, chunks: AsyncIterable<Uint8Array> | Iterable<Uint8Array>): Promise<number> {
    const file = join(this.folder, path);
    const part = `${file}.${process.pid}-${this.parts++}.part`;
    await mkdir(dirname(file), { recursive: true, mode: 0o750 });
    let bytes = 0;
    try {
      const handle = await open(part, 'wx', 0o600);
      try {
        for await (const chunk of chunks) {
          bytes += chunk.length;
          if (bytes > maxLogBytes) throw new LogSizeError();
          await handle.writeFile(chunk);
        }
        await handle.sync();
      } finally {
        await handle.close();
      }
      await rename(part, file);
    } catch (error) {
      await rm(part, { force: true });
      throw error;
    }
    return bytes;
  }

  /** Whether there is a log. */
  async has(path: string): Promise<boolean> {
    return (await stat(join(this.folder, path)).catch(() => undefined))?.isFile() === true;
  }

  read(path: string): AsyncIterable<Buffer> {
    return createReadStream(join(this.folder, path), { highWaterMark: chunkBytes }) as AsyncIterable<Buffer>;
  }

  async remove(path: string): Promise<void> {
    const file = join(this.folder, path);
    await rm(file, { force: true });
    await rmdir(dirname(file)).catch(() => undefined);
  }
}

/**
 * Where the log of a record is. A record that upstream wrote names its file; it is believed only within the namespace of the record, since
 * clients may write records. Otherwise the place follows from the name of the record.
 */
export function logPath(parent: string, record: string, named: string | undefined): string {
  const path = named === undefined || named === '' ? undefined : normalize(named);
  return path?.startsWith(`${parent}/`) && !path.includes('\0') ? path : join(parent, record, 'log');
}
