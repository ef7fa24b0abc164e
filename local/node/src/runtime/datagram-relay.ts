import type { Socket } from 'node:dgram';
import type { Clock } from '@tektite/meta';

/** How long a client may be silent before its way back is forgotten, as connection tracking has it. */
const idleMs = 30_000;
const maxClients = 4096;

export interface DatagramRelayOptions {
  readonly clock: Clock;
  /** Where the datagrams of a new client go; nowhere if undefined. */
  readonly choose: (client: string) => { readonly address: string; readonly port: number } | undefined;
  /** A socket that reaches there. */
  readonly open: () => Promise<Socket>;
}

interface Client {
  readonly upstream: Promise<Socket | undefined>;
  timer: Disposable;
}

/** Passes the datagrams of a socket on, and the answers back: each client has a socket of its own, as long as it speaks. */
export class DatagramRelay implements Disposable {
  private readonly socket: Socket;
  private readonly options: DatagramRelayOptions;
  private readonly clients = new Map<string, Client>();

  constructor(socket: Socket, options: DatagramRelayOptions) {
    this.socket = socket;
    this.options = options;
    socket.on('message', (message, { address, port }) => this.pass(message, address, port));
  }

  [Symbol.dispose](): void {
    for (const key of this.clients.keys()) this.forget(key);
    this.socket.close();
  }

  private pass(message: Buffer, address: string, port: number): void {
    const key = `${address}:${port}`;
    const client = this.clients.get(key) ?? this.admit(key, address, port);
    if (!client) return;
    client.timer[Symbol.dispose]();
    client.timer = this.options.clock.setTimer(idleMs, () => this.forget(key));
    // Datagrams may be lost, and those to an endpoint that does not listen are.
    void client.upstream.then((upstream) => upstream?.send(message, () => undefined)).catch(() => undefined);
  }

  private admit(key: string, address: string, port: number): Client | undefined {
    const { choose, clock } = this.options;
    const endpoint = this.clients.size < maxClients ? choose(address) : undefined;
    if (!endpoint) return undefined;
    const open = async () => {
      const upstream = await this.options.open();
      upstream.on('error', () => undefined);
      upstream.on('message', (answer) => this.socket.send(answer, port, address, () => undefined));
      await new Promise<void>((resolve) => upstream.connect(endpoint.port, endpoint.address, resolve));
      return upstream;
    };
    const upstream = open().catch(() => undefined);
    const client = { upstream, timer: clock.setTimer(idleMs, () => this.forget(key)) };
    this.clients.set(key, client);
    return client;
  }

  private forget(key: string): void {
    const client = this.clients.get(key);
    this.clients.delete(key);
    client?.timer[Symbol.dispose]();
    void client?.upstream.then((upstream) => upstream?.close());
  }
}
