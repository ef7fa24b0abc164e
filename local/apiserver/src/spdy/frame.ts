/** A frame of SPDY 3.1, as far as upgraded connections use them. */
export type Frame =
  /** A part of a frame of data, as it arrives. `fin` comes with the last part. */
  | { readonly type: 'data'; readonly streamId: number; readonly bytes: Buffer; readonly fin: boolean }
  | { readonly type: 'synStream'; readonly streamId: number; readonly block: Buffer; readonly fin: boolean }
  | { readonly type: 'rstStream'; readonly streamId: number; readonly status: number }
  | { readonly type: 'ping'; readonly id: number }
  | { readonly type: 'goAway' }
  /** Frames without an effect here: settings, and windows, which Kubernetes' clients do not keep. */
  | { readonly type: 'ignored' };

/** Bytes that are not SPDY, or more than a client has reason to send. */
export class SpdyError extends Error {}

const control = { synStream: 1, synReply: 2, rstStream: 3, settings: 4, ping: 6, goAway: 7, headers: 8, window: 9 };
export const resetStatus = { protocolError: 1, refusedStream: 3, cancel: 5 } as const;

const version = 3;
const headBytes = 8;
const finFlag = 1;
/** Frames of control are held whole. */
const maxControlBytes = 64 * 1024;
const maxId = 0x7fff_ffff;

/** Splits what a connection receives into frames. It holds the beginning of one frame of control, and no data. */
export class FrameReader {
  private rest: Buffer = Buffer.alloc(0);
  /** The frame of data that is being received. */
  private data: { readonly streamId: number; readonly fin: boolean; left: number } | undefined;

  /** Throws a SpdyError. */
  *read(chunk: Buffer): Generator<Frame, void> {
    let bytes = this.rest.length > 0 ? Buffer.concat([this.rest, chunk]) : chunk;
    this.rest = Buffer.alloc(0);
    for (;;) {
      if (this.data) {
        const { streamId, fin, left } = this.data;
        if (bytes.length === 0 && left > 0) return;
        const part = bytes.subarray(0, left);
        bytes = bytes.subarray(part.length);
        this.data.left -= part.length;
        const isLast = this.data.left === 0;
        if (isLast) this.data = undefined;
        yield { type: 'data', streamId, bytes: part, fin: isLast && fin };
        continue;
      }
      if (bytes.length < headBytes) break;
      const first = bytes.readUInt32BE(0);
      const flags = bytes.readUInt8(4);
      const length = bytes.readUIntBE(5, 3);
      if (first >>> 31 === 0) {
        this.data = { streamId: first, fin: (flags & finFlag) !== 0, left: length };
        bytes = bytes.subarray(headBytes);
        continue;
      }
      if (((first >>> 16) & 0x7fff) !== version) throw new SpdyError('a frame of another version than SPDY 3');
      if (length > maxControlBytes) throw new SpdyError(`a frame of control with ${length} bytes`);
      if (bytes.length < headBytes + length) break;
      yield controlFrame(first & 0xffff, flags, bytes.subarray(headBytes, headBytes + length));
      bytes = bytes.subarray(headBytes + length);
    }
    this.rest = bytes;
  }
}

function controlFrame(type: number, flags: number, body: Buffer): Frame {
  const fin = (flags & finFlag) !== 0;
  switch (type) {
    case control.synStream:
      need(body, 10);
      return { type: 'synStream', streamId: body.readUInt32BE(0) & maxId, block: body.subarray(10), fin };
    case control.rstStream:
      need(body, 8);
      return { type: 'rstStream', streamId: body.readUInt32BE(0) & maxId, status: body.readUInt32BE(4) };
    case control.ping:
      need(body, 4);
      return { type: 'ping', id: body.readUInt32BE(0) };
    case control.goAway:
      return { type: 'goAway' };
    case control.settings:
    case control.window:
      return { type: 'ignored' };
    default:
      // Headers and replies would change the state of the compression, and no client has a reason to send them.
      throw new SpdyError(`a frame of type ${type}`);
  }
}

function need(body: Buffer, bytes: number): void {
  if (body.length < bytes) throw new SpdyError('a frame that is too short');
}

function head(first: number, flags: number, length: number): Buffer {
  const buffer = Buffer.alloc(headBytes);
  buffer.writeUInt32BE(first >>> 0, 0);
  buffer.writeUInt8(flags, 4);
  buffer.writeUIntBE(length, 5, 3);
  return buffer;
}

function controlHead(type: number, length: number): Buffer {
  return head(0x8000_0000 | (version << 16) | type, 0, length);
}

function numbers(...values: readonly number[]): Buffer {
  const buffer = Buffer.alloc(values.length * 4);
  for (const [index, value] of values.entries()) buffer.writeUInt32BE(value, index * 4);
  return buffer;
}

export const dataHead = (streamId: number, length: number, fin: boolean): Buffer =>
  head(streamId, fin ? finFlag : 0, length);

export const synReply = (streamId: number, block: Uint8Array): Buffer =>
  Buffer.concat([controlHead(control.synReply, 4 + block.length), numbers(streamId), block]);

export const rstStream = (streamId: number, status: number): Buffer =>
  Buffer.concat([controlHead(control.rstStream, 8), numbers(streamId, status)]);

export const ping = (id: number): Buffer => Buffer.concat([controlHead(control.ping, 4), numbers(id)]);

export const goAway = (lastStreamId: number): Buffer =>
  Buffer.concat([controlHead(control.goAway, 8), numbers(lastStreamId, 0)]);
