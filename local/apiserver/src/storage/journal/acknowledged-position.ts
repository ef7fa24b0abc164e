import { closeSync, constants, openSync, readFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';

export interface Position {
  /** The first revision of the segment: its name. */
  readonly segment: number;
  readonly length: number;
}

const size = 20;

/**
 * Remembers how far the journal was acknowledged, without waiting for the disk. A segment that is shorter than this, or is
 * damaged before it, lost acknowledged writes; whatever follows it may be a write that a crash interrupted. After a power loss
 * the file may be older than the journal, never newer.
 */
export class AcknowledgedPosition {
  private readonly fd: number;
  private readonly bytes = Buffer.alloc(size);

  constructor(folder: string) {
    this.fd = openSync(join(folder, 'acknowledged'), constants.O_RDWR | constants.O_CREAT, 0o600);
  }

  /** `undefined` where the file says nothing: it is new, or damaged itself. */
  static read(folder: string): Position | undefined {
    let bytes: Buffer;
    try {
      bytes = readFileSync(join(folder, 'acknowledged'));
    } catch {
      return undefined;
    }
    if (bytes.length < size || bytes.readUInt32BE(16) !== crc32(bytes.subarray(0, 16))) return undefined;
    return { segment: Number(bytes.readBigUInt64BE(0)), length: Number(bytes.readBigUInt64BE(8)) };
  }

  /** Twenty bytes for the cache of the kernel: handing them to another thread would cost ten times as much. */
  set({ segment, length }: Position): void {
    const { bytes } = this;
    bytes.writeBigUInt64BE(BigInt(segment), 0);
    bytes.writeBigUInt64BE(BigInt(length), 8);
    bytes.writeUInt32BE(crc32(bytes.subarray(0, 16)), 16);
    try {
      writeSync(this.fd, bytes, 0, size, 0);
    } catch {
      // A failure leaves an older position, which is true as well.
    }
  }

  close(): void {
    closeSync(this.fd);
  }
}
