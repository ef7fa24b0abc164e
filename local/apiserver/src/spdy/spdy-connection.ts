import type { Duplex } from 'node:stream';
import { dataHead, FrameReader, goAway, ping, resetStatus, rstStream, SpdyError, synReply } from './frame.ts';
import { HeaderCodec } from './header-codec.ts';
import { SpdyStream } from './spdy-stream.ts';

/** A port-forward has two for each connection that is open. */
const maxStreams = 2048;
/** The length of a frame has 24 bits. */
const maxDataBytes = 1024 * 1024;
const noHeaders: ReadonlyMap<string, string> = new Map();

/**
 * The server's side of a SPDY 3.1 connection, which Kubernetes' clients speak after an upgrade.
 *
 * Guarantees
 * - Streams of the client are accepted and given to `onStream` in their order.
 * - A stream whose reader does not read stops the whole connection: there are no windows, as upstream has none. So memory is
 *   bounded by the buffers of streams.
 * - `closed` resolves, and never rejects, when the connection has ended. All streams are destroyed by then.
 */
export class SpdyConnection {
  readonly closed: Promise<void>;
  private readonly socket: Duplex;
  private readonly onStream: (stream: SpdyStream) => void;
  private readonly headers = new HeaderCodec();
  private readonly streams = new Map<number, SpdyStream>();
  private lastStreamId = 0;

  constructor(socket: Duplex, onStream: (stream: SpdyStream) => void) {
    this.socket = socket;
    this.onStream = onStream;
    socket.on('error', () => undefined);
    // Each stream that waits for room has its own.
    socket.setMaxListeners(0);
    this.closed = this.run();
  }

  /** Ends the connection after everything that was written. */
  close(): void {
    if (this.socket.writable) this.socket.end(goAway(this.lastStreamId));
  }

  private async run(): Promise<void> {
    const reader = new FrameReader();
    try {
      for await (const chunk of this.socket)
        for (const frame of reader.read(chunk as Buffer)) {
          switch (frame.type) {
            case 'data':
              await this.streams.get(frame.streamId)?.receive(frame.bytes, frame.fin);
              break;
            case 'synStream':
              await this.accept(frame.streamId, frame.block, frame.fin);
              break;
            case 'rstStream':
              this.streams.get(frame.streamId)?.destroy();
              break;
            case 'ping':
              // Those with even numbers would be answers to ours.
              if (frame.id % 2 === 1) this.socket.write(ping(frame.id));
              break;
            default:
          }
        }
    } catch {
      // The client went away, or sent what is no SPDY: either ends the connection.
    } finally {
      for (const stream of this.streams.values()) stream.destroy();
      this.headers[Symbol.dispose]();
      this.socket.destroy();
    }
  }

  private async accept(id: number, block: Buffer, fin: boolean): Promise<void> {
    // Also of streams that are not accepted: the next block continues this one.
    const headers = await this.headers.decode(block);
    if (id <= this.lastStreamId || id % 2 === 0) throw new SpdyError(`a stream ${id} after ${this.lastStreamId}`);
    this.lastStreamId = id;
    if (this.streams.size >= maxStreams) {
      this.socket.write(rstStream(id, resetStatus.refusedStream));
      return;
    }
    const stream = new SpdyStream(headers, {
      data: (bytes, isLast, done) => this.send(id, bytes, isLast, done),
      reset: () => {
        if (this.socket.writable) this.socket.write(rstStream(id, resetStatus.cancel));
      },
    });
    this.streams.set(id, stream);
    stream.on('close', () => this.streams.delete(id));
    this.socket.write(synReply(id, await this.headers.encode(noHeaders)));
    if (fin) stream.receivedAll();
    this.onStream(stream);
  }

  private send(id: number, bytes: Uint8Array, fin: boolean, done: (error?: Error | null) => void): void {
    const { socket } = this;
    if (!socket.writable) {
      done(new SpdyError('the connection is closed'));
      return;
    }
    let hasRoom = true;
    let rest = bytes;
    do {
      const part = rest.subarray(0, maxDataBytes);
      rest = rest.subarray(part.length);
      const isLast = fin && rest.length === 0;
      hasRoom = socket.write(Buffer.concat([dataHead(id, part.length, isLast), part]));
    } while (rest.length > 0);
    if (hasRoom) done();
    else {
      const proceed = () => {
        socket.off('drain', proceed);
        socket.off('close', proceed);
        done();
      };
      socket.on('drain', proceed);
      socket.on('close', proceed);
    }
  }
}
