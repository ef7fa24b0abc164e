import { connect, createServer, isIPv4, type Server, type Socket } from 'node:net';
import { type Client, kinds } from '@tektite/client';
import { cacheKey, Informer } from '@tektite/controller';
import type { EndpointSlice, Service } from '@tektite/schema/kubernetes';
import { chooseEndpoint, type ProxiedPort, proxiedPorts } from './endpoint-choice.ts';

export interface ServiceProxyOptions {
  readonly client: Client;
  /** Told of addresses that cannot be listened on, and of everything else that goes wrong. */
  readonly onError?: (error: Error) => void;
}

interface Listener {
  readonly server: Server;
  readonly sockets: Set<Socket>;
}

/**
 * Makes the addresses of Services work on this machine, from Pods and from everything else: it listens on them, and passes
 * connections on to Pods that are ready. Only TCP, and only addresses of the loopback network (127.0.0.0/8), which a machine
 * has without being told. Ports below 1024 take the right to listen there.
 */
export class ServiceProxy implements AsyncDisposable {
  private readonly options: ServiceProxyOptions;
  private readonly services: Informer<Service, Service>;
  private readonly slices: Informer<EndpointSlice, EndpointSlice>;
  private readonly listeners = new Map<string, Listener>();

  constructor(options: ServiceProxyOptions) {
    const { client, onError } = options;
    this.options = options;
    this.services = new Informer<Service, Service>(client, kinds.Service, onError ? { onError } : {});
    this.slices = new Informer<EndpointSlice, EndpointSlice>(client, kinds.EndpointSlice, onError ? { onError } : {});
    this.slices.addIndex('service', ({ metadata }) => [
      cacheKey({ ...metadata, name: metadata.labels?.['kubernetes.io/service-name'] ?? '' }),
    ]);
  }

  async start(signal?: AbortSignal): Promise<this> {
    const follow = (service: Service, before?: Service) => this.follow(before, service);
    this.services.addHandler({
      added: (service) => follow(service),
      modified: follow,
      deleted: (service) => this.follow(service, undefined),
    });
    this.slices.addHandler({ added: (slice) => this.followSlice(slice), deleted: (slice) => this.followSlice(slice) });
    await Promise.all([this.services.start().synced(signal), this.slices.start().synced(signal)]);
    return this;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all([this.services.stop(), this.slices.stop()]);
    await Promise.all([...this.listeners.keys()].map((address) => this.close(address)));
  }

  private followSlice({ metadata }: EndpointSlice): void {
    const name = metadata.labels?.['kubernetes.io/service-name'] ?? '';
    const service = this.services.store.get(cacheKey({ ...metadata, name }));
    if (service) this.follow(service, service);
  }

  /** Nobody listens for a Service of which nobody says where it leads, such as the API server's own. */
  private isServed({ metadata }: Service): boolean {
    return this.slices.store.byIndex('service', cacheKey(metadata)).length > 0;
  }

  private follow(before: Service | undefined, after: Service | undefined): void {
    const ports = after && this.isServed(after) ? proxiedPorts(after) : [];
    const wanted = new Map(ports.map((port) => [addressOf(port), port]));
    for (const port of before ? proxiedPorts(before) : [])
      if (!wanted.has(addressOf(port))) void this.close(addressOf(port));
    for (const [address, port] of wanted) if (!this.listeners.has(address)) this.listen(address, port);
  }

  private listen(address: string, port: ProxiedPort): void {
    const sockets = new Set<Socket>();
    const server = createServer({ allowHalfOpen: true }, (socket) => this.forward(socket, port, sockets));
    this.listeners.set(address, { server, sockets });
    server.on('error', (error) => {
      this.listeners.delete(address);
      this.options.onError?.(
        new Error(`Service ${port.service}: cannot listen on ${address}: ${error.message}`, { cause: error }),
      );
    });
    server.listen(port.port, port.address);
    server.unref();
  }

  private forward(client: Socket, port: ProxiedPort, sockets: Set<Socket>): void {
    const slices = this.slices.store.byIndex('service', port.service);
    const endpoint = chooseEndpoint(slices, port, this.options.client.random);
    track(client, sockets);
    if (!endpoint) {
      client.destroy();
      return;
    }
    const upstream = connect({ host: endpoint.address, port: endpoint.port, allowHalfOpen: true });
    track(upstream, sockets);
    client.pipe(upstream);
    upstream.pipe(client);
    client.once('close', () => upstream.destroy());
    upstream.once('close', () => client.destroy());
  }

  private async close(address: string): Promise<void> {
    const listener = this.listeners.get(address);
    this.listeners.delete(address);
    if (!listener) return;
    for (const socket of listener.sockets) socket.destroy();
    await new Promise((resolve) => void listener.server.close(resolve));
  }
}

function addressOf({ address, port }: ProxiedPort): string {
  return isIPv4(address) ? `${address}:${port}` : `[${address}]:${port}`;
}

function track(socket: Socket, sockets: Set<Socket>): void {
  sockets.add(socket);
  socket.on('error', () => socket.destroy());
  socket.once('close', () => sockets.delete(socket));
}
