import { createHash, type Hash } from 'node:crypto';
import { constants, createReadStream } from 'node:fs';
import { type FileHandle, open, rename } from 'node:fs/promises';
import { type Clock, isTerminalError } from '@tektite/meta';
import type { BlobStream } from '../registry-client.ts';
import { isStoreError, StoreError } from '../store-error.ts';

/** Attempts without a single new byte. */
const maxIdleAttempts = 4;
const firstPauseMs = 200;

export interface BlobSource {
  openBlob(digest: string, offset: number): Promise<BlobStream>;
}

export interface DownloadRequest {
  readonly digest: string;
  readonly size: number;
  /** Keeps what has come, also when this process is killed. The caller has a lock for it. */
  readonly partial: string;
  /** The complete blob appears here. */
  readonly file: string;
  readonly clock: Clock;
  /** Called with the bytes of the blob so far. */
  readonly onBytes?: (bytes: number) => void;
  readonly signal: AbortSignal;
}

/**
 * Downloads a blob, and continues after a cut where it was cut, within this call or in a later one. Size and digest are checked
 * while it comes; a blob that differs leaves nothing.
 */
export async function downloadBlob(source: BlobSource, request: DownloadRequest): Promise<void> {
  const { partial, file, digest, size, signal, clock } = request;
  await using out = await open(partial, constants.O_RDWR | constants.O_CREAT, 0o600);
  const download = await Download.resume(out, request);
  for (let idle = 0; download.bytes < size || size === 0; ) {
    const before = download.bytes;
    try {
      await download.receive(await source.openBlob(digest, before));
      if (size === 0) break;
      if (download.bytes < size) throw new Error(`the registry sent ${download.bytes} of ${size} bytes of ${digest}`);
    } catch (error) {
      signal.throwIfAborted();
      idle = download.bytes > before ? 0 : idle + 1;
      if (isStoreError(error) || isTerminalError(error) || idle === maxIdleAttempts) throw error;
      await pause(clock, firstPauseMs * 2 ** idle, signal);
    }
  }
  await download.check();
  await rename(partial, file);
}

class Download {
  bytes = 0;
  private hash: Hash = createHash('sha256');
  private readonly out: FileHandle;
  private readonly request: DownloadRequest;

  private constructor(out: FileHandle, request: DownloadRequest) {
    this.out = out;
    this.request = request;
  }

  /** Reads what came before. */
  static async resume(out: FileHandle, request: DownloadRequest): Promise<Download> {
    const download = new Download(out, request);
    const { size } = await out.stat();
    if (size > request.size) await download.restart();
    else if (size > 0)
      for await (const chunk of createReadStream(request.partial, { end: size - 1 }) as AsyncIterable<Buffer>) {
        download.hash.update(chunk);
        download.bytes += chunk.length;
      }
    return download;
  }

  async receive({ offset, chunks }: BlobStream): Promise<void> {
    const { size, digest, onBytes, signal } = this.request;
    if (offset !== this.bytes) await this.restart();
    for await (const chunk of chunks) {
      signal.throwIfAborted();
      if (this.bytes + chunk.length > size) {
        await this.restart();
        throw new StoreError('DIGEST_MISMATCH', `the blob ${digest} is larger than the ${size} bytes of its manifest`);
      }
      this.hash.update(chunk);
      await writeAll(this.out, chunk, this.bytes);
      this.bytes += chunk.length;
      onBytes?.(this.bytes);
    }
  }

  async check(): Promise<void> {
    const { digest } = this.request;
    const found = `sha256:${this.hash.digest('hex')}`;
    if (found === digest) return;
    const { bytes } = this;
    await this.restart();
    throw new StoreError(
      'DIGEST_MISMATCH',
      `error verifying sha256 checksum after reading ${bytes} bytes; got "${found}", want "${digest}"`,
    );
  }

  private async restart(): Promise<void> {
    await this.out.truncate(0);
    this.bytes = 0;
    this.hash = createHash('sha256');
  }
}

async function writeAll(out: FileHandle, chunk: Uint8Array, position: number): Promise<void> {
  for (let done = 0; done < chunk.length; )
    done += (await out.write(chunk, done, chunk.length - done, position + done)).bytesWritten;
}

function pause(clock: Clock, milliseconds: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const onAbort = () => {
      timer[Symbol.dispose]();
      reject(signal.reason as Error);
    };
    const timer = clock.setTimer(milliseconds, () => {
      signal.removeEventListener('abort', onAbort);
      resolve();
    });
    signal.addEventListener('abort', onAbort, { once: true });
  });
}
