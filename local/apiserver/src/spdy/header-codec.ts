import { constants, createDeflate, createInflate, type Deflate, type Inflate } from 'node:zlib';
import { SpdyError } from './frame.ts';
import { headerDictionary as dictionary } from './header-dictionary.ts';

/** Decompressed. The headers of a stream of Kubernetes have a few dozen bytes. */
const maxHeaderBytes = 64 * 1024;

/**
 * Compresses and decompresses the headers of one connection. Each direction is one stream of zlib, so blocks have to be passed in
 * the order of their frames, one at a time.
 */
export class HeaderCodec implements Disposable {
  private readonly inflate: Inflate = createInflate({ dictionary, flush: constants.Z_SYNC_FLUSH });
  private readonly deflate: Deflate = createDeflate({ dictionary });

  /** Names are in lower case. Rejects with a SpdyError. */
  async decode(block: Uint8Array): Promise<Map<string, string>> {
    const bytes = await collect(this.inflate, (done) => void this.inflate.write(block, done));
    return parseHeaders(bytes);
  }

  async encode(headers: ReadonlyMap<string, string>): Promise<Buffer> {
    return collect(this.deflate, (done) => {
      this.deflate.write(formatHeaders(headers));
      this.deflate.flush(constants.Z_SYNC_FLUSH, () => done());
    });
  }

  [Symbol.dispose](): void {
    this.inflate.destroy();
    this.deflate.destroy();
  }
}

/** All output of one input. */
async function collect(
  stream: Inflate | Deflate,
  start: (done: (error?: Error | null) => void) => void,
): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  return new Promise((resolve, reject) => {
    const onData = (chunk: Buffer) => {
      chunks.push(chunk);
      size += chunk.length;
      if (size > maxHeaderBytes) stream.destroy(new SpdyError('headers that are too large'));
    };
    const onError = (error: Error) => settle(error);
    const settle = (error?: Error | null) => {
      stream.off('data', onData);
      // Later errors of a destroyed stream have no effect.
      if (error) stream.on('error', () => undefined);
      stream.off('error', onError);
      if (error)
        reject(
          error instanceof SpdyError
            ? error
            : new SpdyError(`headers that are not compressed as SPDY 3 asks`, { cause: error }),
        );
      else resolve(Buffer.concat(chunks));
    };
    stream.on('data', onData);
    stream.on('error', onError);
    start((error) => {
      if (error) settle(error);
      // The last output is emitted in the same turn.
      else setImmediate(() => settle());
    });
  });
}

function parseHeaders(bytes: Buffer): Map<string, string> {
  const headers = new Map<string, string>();
  let at = 0;
  const number = () => {
    if (at + 4 > bytes.length) throw new SpdyError('headers that are cut');
    at += 4;
    return bytes.readUInt32BE(at - 4);
  };
  const text = () => {
    const length = number();
    if (at + length > bytes.length) throw new SpdyError('headers that are cut');
    at += length;
    return bytes.toString('utf8', at - length, at);
  };
  for (let left = number(); left > 0; left--) headers.set(text().toLowerCase(), text());
  return headers;
}

function formatHeaders(headers: ReadonlyMap<string, string>): Buffer {
  const parts: Buffer[] = [numberOf(headers.size)];
  for (const pair of headers) for (const word of pair) parts.push(numberOf(Buffer.byteLength(word)), Buffer.from(word));
  return Buffer.concat(parts);
}

function numberOf(value: number): Buffer {
  const buffer = Buffer.alloc(4);
  buffer.writeUInt32BE(value);
  return buffer;
}
