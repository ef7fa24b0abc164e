import { type Client, kinds } from '@tektite/client';
import { cacheKey, Informer } from '@tektite/controller/cache';
import type { EndpointSlice, Service } from '@tektite/schema/kubernetes';
import type { ServiceSource } from '../dns/cluster-records.ts';
import type { PodNetwork } from '../network/pod-network.ts';
import { DatagramListener } from './datagram-listener.ts';
import { EndpointChoice } from './endpoint-choice.ts';
import { NetworkListener } from './network-listener.ts';
import { type Endpoint, networkPorts, type ProxiedPort, proxiedPorts, readyEndpoints } from './proxied-ports.ts';
import { LaterListener } from './later-listener.ts';
import { PortListener } from './port-listener.ts';
import type { ServiceListener } from './service-listener.ts';

export interface ServiceProxyOptions {
  readonly client: Client;
  /** The network of Pods, where they have one: Services are served there, with all their kinds of ports. */
  readonly network?: PodNetwork;
  /** Where the API is on this machine; its own Service leads there, where Pods have a network. */
  readonly api?: Endpoint;
  /** Called with addresses that cannot be listened on, and with all other errors. */
  readonly onError?: (error: Error) => void;
}

/**
 * Makes the addresses of Services work: it listens on them, and passes connections on to Pods that are ready.
 *
 * Where Pods have a network, in that network, from Pods: TCP and UDP, session affinity, and node ports on the machine. Where they have
 * the machine's, for everything on it: only TCP, and only addresses of the loopback network (127.0.0.0/8), which needs no
 * configuration. Ports below 1024 take the right to listen there.
 */
export class ServiceProxy implements AsyncDisposable {
  private readonly options: ServiceProxyOptions;
  private readonly services: Informer<Service, Service>;
  private readonly slices: Informer<EndpointSlice, EndpointSlice>;
  private readonly listeners = new Map<string, ServiceListener>();
  /** Those that are being closed, by address and port: the next one there waits for its end. */
  private readonly closing = new Map<string, Promise<void>>();

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

  /** The Services that it knows, for the name server. */
  get source(): ServiceSource {
    const { services, slices } = this;
    return {
      service: (namespace, name) => services.store.get(cacheKey({ namespace, name })),
      slices: (namespace, name) => slices.store.byIndex('service', cacheKey({ namespace, name })),
      services: () => services.store.list(),
    };
  }

  private followSlice({ metadata }: EndpointSlice): void {
    const name = metadata.labels?.['kubernetes.io/service-name'] ?? '';
    const service = this.services.store.get(cacheKey({ ...metadata, name }));
    if (service) this.follow(service, service);
  }

  private follow(before: Service | undefined, after: Service | undefined): void {
    const portsOf = this.options.network ? networkPorts : proxiedPorts;
    const wanted = new Map((after ? portsOf(after) : []).map((port) => [keyOf(port), port]));
    for (const port of before ? portsOf(before) : []) if (!wanted.has(keyOf(port))) this.close(port);
    for (const [key, port] of wanted) this.listenerOf(key, port).refresh();
  }

  private listenerOf(key: string, port: ProxiedPort): ServiceListener {
    const known = this.listeners.get(key);
    if (known) return known;
    const former = this.closing.get(placeOf(port));
    const listener = former ? new LaterListener(former, () => this.newListener(port)) : this.newListener(port);
    this.listeners.set(key, listener);
    return listener;
  }

  private newListener(port: ProxiedPort): ServiceListener {
    const { client, network, api, onError = () => undefined } = this.options;
    const { clock, random } = client;
    const endpoints = () => readyEndpoints(this.slices.store.byIndex('service', port.service), port);
    if (!network) {
      // Containers have the API's own address in their variables: nothing is lost where its Service cannot be listened on.
      const report = (error: Error) => port.service !== apiService && onError(error);
      return new PortListener({ port, endpoints, clock, random, onError: report });
    }
    const options = {
      port,
      network,
      endpoints: api && port.service === apiService ? () => [api] : endpoints,
      choice: new EndpointChoice(clock, random, port.affinityMs),
      onError,
    };
    return port.protocol === 'UDP' ? new DatagramListener({ ...options, clock }) : new NetworkListener(options);
  }

  private close(port: ProxiedPort): void {
    const listener = this.listeners.get(keyOf(port));
    if (!listener) return;
    this.listeners.delete(keyOf(port));
    const place = placeOf(port);
    const closed = listener.close().finally(() => {
      if (this.closing.get(place) === closed) this.closing.delete(place);
    });
    this.closing.set(place, closed);
  }
}

/** Has port 443, where ordinary users may not listen. */
const apiService = 'default/kubernetes';

function placeOf({ address, port, protocol }: ProxiedPort): string {
  return `${protocol}:${address}:${port}`;
}

/** One that leads elsewhere, or otherwise, is another. */
function keyOf({ address, port, name, protocol, affinityMs = 0 }: ProxiedPort): string {
  return `${protocol}:${address}:${port}:${name}:${affinityMs}`;
}
