import type { Socket } from 'node:dgram';
import type { Clock } from '@tektite/meta';
import type { PodNetwork } from '../network/pod-network.ts';
import type { NetworkListenerOptions } from './network-listener.ts';
import type { ServiceListener } from './service-listener.ts';

interface DatagramListenerOptions extends NetworkListenerOptions {
  readonly network: PodNetwork;
  readonly clock: Clock;
}

/** How long a client may be silent before its way back is forgotten, as connection tracking has it. */
const idleMs = 30_000;
const maxClients = 4096;

interface Client {
  readonly upstream: Promise<Socket | undefined>;
  timer: Disposable;
}

/** Serves one UDP port of a Service in the network of Pods: each client has a socket to its endpoint, as long as it speaks. */
export class DatagramListener implements ServiceListener {
  private readonly options: DatagramListenerOptions;
  private readonly clients = new Map<string, Client>();
  private socket: Promise<Socket | undefined> | undefined;
  private closed = false;

  constructor(options: DatagramListenerOptions) {
    this.options = options;
  }

  refresh(): void {
    if (this.closed) return;
    if (this.options.endpoints().length === 0) void this.stop();
    else this.socket ??= this.listen();
  }

  async close(): Promise<void> {
    this.closed = true;
    await this.stop();
  }

  private async stop(): Promise<void> {
    const { socket } = this;
    this.socket = undefined;
    for (const key of this.clients.keys()) this.forget(key);
    (await socket)?.close();
  }

  private async listen(): Promise<Socket | undefined> {
    const { network, port, onError } = this.options;
    try {
      const socket = await network.listenUdp(port.address, port.port);
      socket.on('message', (message, from) => this.pass(socket, message, from.address, from.port));
      socket.on('error', onError);
      return socket;
    } catch (error) {
      const { message } = error as Error;
      const cause = { cause: error };
      onError(new Error(`Service ${port.service}: cannot listen on ${port.address}:${port.port}: ${message}`, cause));
      return undefined;
    }
  }

  private pass(socket: Socket, message: Buffer, address: string, port: number): void {
    const key = `${address}:${port}`;
    const client = this.clients.get(key) ?? this.admit(socket, key, address, port);
    if (!client) return;
    client.timer[Symbol.dispose]();
    client.timer = this.options.clock.setTimer(idleMs, () => this.forget(key));
    // Datagrams may be lost, and those to an endpoint that does not listen are.
    void client.upstream.then((upstream) => upstream?.send(message, () => undefined)).catch(() => undefined);
  }

  private admit(socket: Socket, key: string, address: string, port: number): Client | undefined {
    const { endpoints, choice, network, clock } = this.options;
    const endpoint = choice.choose(endpoints(), address);
    if (!endpoint || this.clients.size >= maxClients) return undefined;
    const open = async () => {
      const upstream = await network.udpSocket();
      upstream.on('error', () => undefined);
      upstream.on('message', (answer) => socket.send(answer, port, address, () => undefined));
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
