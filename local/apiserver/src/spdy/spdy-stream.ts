import { Duplex } from 'node:stream';

/** The frames that a stream sends. Callbacks are called when the connection can take more. */
export interface StreamOutput {
  data(bytes: Uint8Array, fin: boolean, done: (error?: Error | null) => void): void;
  reset(): void;
}

/** One stream of a connection: bytes in both directions, each of which ends on its own. */
export class SpdyStream extends Duplex {
  readonly headers: ReadonlyMap<string, string>;
  private readonly output: StreamOutput;
  private wanted: (() => void) | undefined;
  private received = false;
  private sent = false;

  constructor(headers: ReadonlyMap<string, string>, output: StreamOutput) {
    super({ allowHalfOpen: true });
    this.headers = headers;
    this.output = output;
    // The reader of a stream may be done before its client is.
    this.on('error', () => undefined);
  }

  /** Gives received bytes to the reader. A promise: it settles when the reader has caught up. */
  receive(bytes: Buffer, fin: boolean): Promise<void> | undefined {
    if (this.received || this.destroyed) return undefined;
    const hasRoom = bytes.length === 0 || this.push(bytes);
    if (fin) this.receivedAll();
    if (hasRoom || fin) return undefined;
    return new Promise((resolve) => (this.wanted = resolve));
  }

  /** The client sends no more. */
  receivedAll(): void {
    if (this.received) return;
    this.received = true;
    this.push(null);
  }

  override _read(): void {
    this.wanted?.();
    this.wanted = undefined;
  }

  override _write(chunk: Buffer, _encoding: string, done: (error?: Error | null) => void): void {
    this.output.data(chunk, false, done);
  }

  override _final(done: (error?: Error | null) => void): void {
    this.sent = true;
    this.output.data(Buffer.alloc(0), true, done);
  }

  override _destroy(error: Error | null, done: (error?: Error | null) => void): void {
    this.wanted?.();
    if (!this.received || !this.sent) this.output.reset();
    done(error);
  }
}
