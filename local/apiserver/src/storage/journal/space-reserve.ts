import { existsSync, rmSync, statSync } from 'node:fs';
import { open, rename } from 'node:fs/promises';
import { join } from 'node:path';

/**
 * A file that takes space for the time when there is none: released, it lets deletes and compaction be written to a full disk.
 */
export class SpaceReserve {
  private readonly file: string;
  private readonly bytes: number;

  constructor(folder: string, bytes: number) {
    this.file = join(folder, 'reserve');
    this.bytes = bytes;
  }

  get isHeld(): boolean {
    return existsSync(this.file) && statSync(this.file).size >= this.bytes;
  }

  /** Takes the space, if it is there and some more; returns whether both are true. */
  async hold(fill: (bytes: number) => Uint8Array): Promise<boolean> {
    const temporary = `${this.file}.new`;
    try {
      if (!this.isHeld) {
        await write(temporary, fill, this.bytes);
        await rename(temporary, this.file);
      }
      await write(temporary, fill, chunkBytes);
      return true;
    } catch {
      return false;
    } finally {
      rmSync(temporary, { force: true });
    }
  }

  release(): void {
    rmSync(this.file, { force: true });
  }
}

const chunkBytes = 64 * 1024;

async function write(path: string, fill: (bytes: number) => Uint8Array, bytes: number): Promise<void> {
  const handle = await open(path, 'w', 0o600);
  try {
    // Not zeros, which some file systems store in no space at all.
    const chunk = fill(chunkBytes);
    for (let written = 0; written < bytes; ) written += (await handle.write(chunk)).bytesWritten;
    await handle.datasync();
  } finally {
    await handle.close();
  }
}
