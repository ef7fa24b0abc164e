import type { RawData, WebSocket } from 'ws';

/** So much is sent ahead of what a client has read; then the program has to wait. */
const enoughBytes = 256 * 1024;
/** One who joins a container cannot make it wait: with so much unread, the session ends. */
const maxBytes = 16 * 1024 * 1024;

/** Messages on their way to a client, no more of them than it takes. */
export class SocketOutput {
  private readonly connection: WebSocket;
  private waiting: (() => void)[] = [];

  constructor(connection: WebSocket) {
    this.connection = connection;
    connection.on('close', () => this.release());
  }

  send(message: Uint8Array | string): Promise<void> | undefined {
    const { connection } = this;
    if (connection.readyState !== connection.OPEN) return undefined;
    connection.send(message, () => {
      if (connection.bufferedAmount < enoughBytes) this.release();
    });
    if (connection.bufferedAmount > maxBytes) connection.terminate();
    if (connection.bufferedAmount < enoughBytes) return undefined;
    return new Promise((resolve) => this.waiting.push(resolve));
  }

  private release(): void {
    const { waiting } = this;
    this.waiting = [];
    for (const resolve of waiting) resolve();
  }
}

export function asBuffer(data: RawData): Buffer {
  if (Array.isArray(data)) return Buffer.concat(data);
  return Buffer.isBuffer(data) ? data : Buffer.from(data);
}
