import type { Server, Socket } from 'node:net';

const maxConnections = 4096;

/** Passes the connections of a server on, each to where `connect` leads; one that leads nowhere is reset. */
export class ConnectionRelay implements Disposable {
  private readonly server: Server;
  private readonly connect: (client: Socket) => Promise<Socket>;
  private readonly clients = new Set<Socket>();

  constructor(server: Server, connect: (client: Socket) => Promise<Socket>) {
    this.server = server;
    this.connect = connect;
    // Each takes two descriptors of this process.
    server.maxConnections = maxConnections;
    server.on('connection', (client) => void this.accept(client));
  }

  /** Takes no more connections. Those that are open stay. */
  stop(): void {
    if (this.server.listening) this.server.close();
  }

  [Symbol.dispose](): void {
    this.stop();
    for (const client of this.clients) client.destroy();
  }

  private async accept(client: Socket): Promise<void> {
    this.clients.add(client);
    client.once('close', () => this.clients.delete(client));
    client.on('error', () => client.destroy());
    try {
      relay(client, await this.connect(client));
    } catch {
      client.resetAndDestroy();
    }
  }
}

/** Until both have ended or one has failed. */
function relay(one: Socket, other: Socket): void {
  other.on('error', () => other.destroy());
  one.pipe(other);
  other.pipe(one);
  one.once('close', () => endAfter(one, other));
  other.once('close', () => endAfter(other, one));
  if (one.destroyed) other.destroy();
}

/** The last bytes of a connection that has ended well may still be on their way. */
function endAfter(closed: Socket, other: Socket): void {
  if (closed.readableEnded && other.writableEnded && !other.writableFinished)
    other.once('finish', () => other.destroy());
  else other.destroy();
}
