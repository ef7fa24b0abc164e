import { type Client, kinds } from '@tektite/client';
import { cacheKey, Informer } from '@tektite/controller/cache';
import type { EndpointSlice, Service } from '@tektite/schema/kubernetes';
import { type ProxiedPort, proxiedPorts, readyEndpoints } from './proxied-ports.ts';
import { PortListener } from './port-listener.ts';

export interface ServiceProxyOptions {
  readonly client: Client;
  /** Called with addresses that cannot be listened on, and with all other errors. */
  readonly onError?: (error: Error) => void;
}

/**
 * Makes the addresses of Services work on this machine, from Pods and from everything else: it listens on them, and
 * passes connections on to Pods that are ready. Only TCP, and only addresses of the loopback network (127.0.0.0/8),
 * which needs no configuration. Ports below 1024 take the right to listen there.
 */
export class ServiceProxy implements AsyncDisposable {
  private readonly options: ServiceProxyOptions;
  private readonly services: Informer<Service, Service>;
  private readonly slices: Informer<EndpointSlice, EndpointSlice>;
  private readonly listeners = new Map<string, PortListener>();

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
    this.services.addHandler({
      added: (service) => this.follow(undefined, service),
      modified: (service, before) => this.follow(before, service),
      deleted: (service) => this.follow(service, undefined),
    });
    const followSlice = (slice: EndpointSlice) => this.followSlice(slice);
    this.slices.addHandler({ added: followSlice, modified: followSlice, deleted: followSlice });
    await Promise.all([this.services.start().synced(signal), this.slices.start().synced(signal)]);
    return this;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all([this.services.stop(), this.slices.stop()]);
    await Promise.all([...this.listeners.values()].map((listener) => listener.close()));
    this.listeners.clear();
  }

  private followSlice({ metadata }: EndpointSlice): void {
    const name = metadata.labels?.['kubernetes.io/service-name'] ?? '';
    const service = this.services.store.get(cacheKey({ ...metadata, name }));
    if (service) this.follow(service, service);
  }

  private follow(before: Service | undefined, after: Service | undefined): void {
    const wanted = new Map((after ? proxiedPorts(after) : []).map((port) => [keyOf(port), port]));
    for (const port of before ? proxiedPorts(before) : []) if (!wanted.has(keyOf(port))) this.close(keyOf(port));
    for (const [key, port] of wanted) this.listenerOf(key, port).refresh();
  }

  private listenerOf(key: string, port: ProxiedPort): PortListener {
    const known = this.listeners.get(key);
    if (known) return known;
    const { client, onError } = this.options;
    const listener = new PortListener({
      port,
      endpoints: () => readyEndpoints(this.slices.store.byIndex('service', port.service), port),
      clock: client.clock,
      random: client.random,
      // Containers have the API's own address in their variables: nothing is lost where its Service cannot be listened on.
      onError: (error) => port.service !== apiService && onError?.(error),
    });
    this.listeners.set(key, listener);
    return listener;
  }

  private close(key: string): void {
    void this.listeners.get(key)?.close();
    this.listeners.delete(key);
  }
}

/** Has port 443, where ordinary users may not listen. */
const apiService = 'default/kubernetes';

/** One that leads elsewhere is another. */
function keyOf({ address, port, name }: ProxiedPort): string {
  return `${address}:${port}:${name}`;
}
