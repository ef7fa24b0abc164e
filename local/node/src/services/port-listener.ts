import { connect, createServer, type Server, type Socket } from 'node:net';
import type { Clock, Random } from '@tektite/meta';
import type { Endpoint, ProxiedPort } from './proxied-ports.ts';

export interface PortListenerOptions {
  readonly port: ProxiedPort;
  /** Where connections may be passed on to, now. */
  readonly endpoints: () => readonly Endpoint[];
  readonly clock: Clock;
  readonly random: Random;
  readonly onError: (error: Error) => void;
}

const firstRetryMs = 20;
const lastRetryMs = 5000;

/**
 * Listens on one port of a Service while a ready endpoint listens, and not before: Pods share the machine's ports, and
 * a program that wants the same port on all addresses, as most do, gets it only if it is free on every address. Such a
 * program then serves the Service's address directly.
 */
export class PortListener {
  private readonly options: PortListenerOptions;
  private readonly sockets = new Set<Socket>();
  private server: Server | undefined;
  private retry: Disposable | undefined;
  private retryMs = firstRetryMs;
  private looking = false;
  private closed = false;

  constructor(options: PortListenerOptions) {
    this.options = options;
  }

  /** The endpoints are different. */
  refresh(): void {
    this.retryMs = firstRetryMs;
    if (this.options.endpoints().length === 0) void this.stop();
    else if (!this.server) this.probe();
  }

  async close(): Promise<void> {
    this.closed = true;
    await this.stop();
  }

  private async stop(): Promise<void> {
    this.retry?.[Symbol.dispose]();
    this.retry = undefined;
    const { server } = this;
    this.server = undefined;
    for (const socket of this.sockets) socket.destroy();
    if (server) await new Promise((resolve) => void server.close(resolve));
  }

  /**
   * Whether an endpoint accepts connections yet. A Pod without a readiness probe counts as ready before its program
   * listens.
   */
  private probe(): void {
    this.retry?.[Symbol.dispose]();
    this.retry = undefined;
    const endpoint = this.choose();
    if (this.looking || this.closed || !endpoint) return;
    this.looking = true;
    const socket = connect({ host: endpoint.address, port: endpoint.port });
    const done = (answered: boolean) => {
      socket.destroy();
      if (!this.looking) return;
      this.looking = false;
      if (this.closed || this.server) return;
      if (answered) this.listen(endpoint);
      else this.lookLater();
    };
    socket.setTimeout(lastRetryMs, () => done(false));
    socket.once('connect', () => done(true));
    socket.once('error', () => done(false));
  }

  private lookLater(): void {
    this.retry = this.options.clock.setTimer(this.retryMs, () => this.probe());
    this.retryMs = Math.min(lastRetryMs, this.retryMs * 2);
  }

  private listen(endpoint: Endpoint): void {
    const { port, onError } = this.options;
    const server = createServer({ allowHalfOpen: true }, (socket) => this.forward(socket));
    this.server = server;
    server.on('error', (error: NodeJS.ErrnoException) => {
      if (this.server === server) this.server = undefined;
      if (error.code === 'EADDRINUSE' && endpoint.port === port.port) return;
      onError(
        new Error(`Service ${port.service}: cannot listen on ${port.address}:${port.port}: ${error.message}`, {
          cause: error,
        }),
      );
    });
    server.listen(port.port, port.address);
    server.unref();
  }

  private forward(client: Socket): void {
    const endpoint = this.choose();
    this.track(client);
    if (!endpoint) {
      client.destroy();
      return;
    }
    const upstream = connect({ host: endpoint.address, port: endpoint.port, allowHalfOpen: true });
    this.track(upstream);
    client.pipe(upstream);
    upstream.pipe(client);
    client.once('close', () => upstream.destroy());
    upstream.once('close', () => client.destroy());
  }

  private choose(): Endpoint | undefined {
    const endpoints = this.options.endpoints();
    return endpoints[Math.floor(this.options.random.next() * endpoints.length)];
  }

  private track(socket: Socket): void {
    this.sockets.add(socket);
    socket.on('error', () => socket.destroy());
    socket.once('close', () => this.sockets.delete(socket));
  }
}
