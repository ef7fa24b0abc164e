import type { IncomingHttpHeaders, OutgoingHttpHeaders, ServerHttp2Stream } from 'node:http2';

const endStream = 0x1;

/**
 * A request on a stream of HTTP/2, and its answer. Both sides are the stream itself: Node's own layer for HTTP/2, which gives a request
 * the objects of HTTP/1.1, takes a third of the time of a small request.
 */
export class StreamExchange {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingHttpHeaders;
  readonly stream: ServerHttp2Stream;
  /** Whether the client sends a body. One without a body need not be read. */
  readonly hasBody: boolean;

  constructor(stream: ServerHttp2Stream, headers: IncomingHttpHeaders, flags: number) {
    this.method = headers[':method'] ?? '';
    this.url = headers[':path'] ?? '';
    this.headers = headers;
    this.stream = stream;
    this.hasBody = (flags & endStream) === 0;
    stream.on('error', ignore);
  }

  get headersSent(): boolean {
    return this.stream.headersSent;
  }

  get destroyed(): boolean {
    return this.stream.destroyed;
  }

  get writableLength(): number {
    return this.stream.writableLength;
  }

  get writableNeedDrain(): boolean {
    return this.stream.writableNeedDrain;
  }

  /** Sends the head of the answer. A client that has disconnected gets nothing. */
  writeHead(status: number, headers: OutgoingHttpHeaders): void {
    if (!this.stream.destroyed && !this.stream.closed) this.stream.respond({ ':status': status, ...headers });
  }

  write(chunk: string | Uint8Array): boolean {
    return !this.stream.destroyed && this.stream.write(chunk);
  }

  end(chunk?: string | Uint8Array): void {
    if (!this.stream.destroyed) this.stream.end(chunk);
  }

  /** Ends the stream, and not its connection. */
  destroy(): void {
    this.stream.destroy();
  }

  pause(): void {
    this.stream.pause();
  }

  resume(): void {
    this.stream.resume();
  }

  on(event: string, listener: (...args: never[]) => void): void {
    this.stream.on(event, listener as (...args: unknown[]) => void);
  }

  once(event: string, listener: (...args: never[]) => void): void {
    this.stream.once(event, listener as (...args: unknown[]) => void);
  }

  off(event: string, listener: (...args: never[]) => void): void {
    this.stream.off(event, listener as (...args: unknown[]) => void);
  }
}

/** A stream that is reset: `close` follows. */
const ignore = () => undefined;
