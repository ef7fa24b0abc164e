import { once } from 'node:events';
import type { Duplex } from 'node:stream';
import { HeaderCodec } from './header-codec.ts';

/** For tests: the client's side of a SPDY connection, which knows no more than they need. */
export class SpdyTestClient {
  private readonly socket: Duplex;
  private readonly headers = new HeaderCodec();
  private received = Buffer.alloc(0);
  private nextId = 1;
  /** The received bytes of each stream, by id. */
  readonly data = new Map<number, string>();
  readonly ended = new Set<number>();
  readonly reset = new Set<number>();
  readonly replied = new Set<number>();
  readonly pings: number[] = [];
  closed = false;

  constructor(socket: Duplex) {
    this.socket = socket;
    socket.on('data', (chunk: Buffer) => this.receive(chunk));
    socket.on('error', () => undefined);
    socket.on('close', () => (this.closed = true));
  }

  async open(headers: Readonly<Record<string, string>>): Promise<number> {
    const id = this.nextId;
    this.nextId += 2;
    const block = await this.headers.encode(new Map(Object.entries(headers)));
    const body = Buffer.concat([Buffer.alloc(10), block]);
    body.writeUInt32BE(id, 0);
    this.control(1, body);
    return id;
  }

  send(id: number, text: string, fin = false): void {
    const head = Buffer.alloc(8);
    head.writeUInt32BE(id, 0);
    head.writeUInt8(fin ? 1 : 0, 4);
    head.writeUIntBE(Buffer.byteLength(text), 5, 3);
    this.socket.write(Buffer.concat([head, Buffer.from(text)]));
  }

  ping(id: number): void {
    const body = Buffer.alloc(4);
    body.writeUInt32BE(id);
    this.control(6, body);
  }

  control(type: number, body: Buffer): void {
    const head = Buffer.alloc(8);
    head.writeUInt32BE((0x8003_0000 | type) >>> 0, 0);
    head.writeUIntBE(body.length, 5, 3);
    this.socket.write(Buffer.concat([head, body]));
  }

  raw(bytes: Buffer): void {
    this.socket.write(bytes);
  }

  async close(): Promise<void> {
    this.headers[Symbol.dispose]();
    if (this.closed) return;
    this.socket.destroy();
    await once(this.socket, 'close');
  }

  private receive(chunk: Buffer): void {
    this.received = Buffer.concat([this.received, chunk]);
    while (this.received.length >= 8) {
      const first = this.received.readUInt32BE(0);
      const length = this.received.readUIntBE(5, 3);
      if (this.received.length < 8 + length) return;
      const flags = this.received.readUInt8(4);
      const body = this.received.subarray(8, 8 + length);
      this.received = this.received.subarray(8 + length);
      if (first >>> 31 === 0) {
        this.data.set(first, (this.data.get(first) ?? '') + body.toString());
        if (flags & 1) this.ended.add(first);
        continue;
      }
      const type = first & 0xffff;
      if (type === 2) this.replied.add(body.readUInt32BE(0));
      if (type === 3) this.reset.add(body.readUInt32BE(0));
      if (type === 6) this.pings.push(body.readUInt32BE(0));
    }
  }
}
