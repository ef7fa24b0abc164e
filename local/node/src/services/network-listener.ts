import type { Socket } from 'node:net';
import { ConnectionRelay } from '../runtime/connection-relay.ts';
import type { Network } from '../runtime/network.ts';
import type { EndpointChoice } from './endpoint-choice.ts';
import type { Endpoint, ProxiedPort } from './proxied-ports.ts';
import type { ServiceListener } from './service-listener.ts';

export interface NetworkListenerOptions {
  readonly port: ProxiedPort;
  readonly network: Network;
  /** Where connections may be passed on to, now. */
  readonly endpoints: () => readonly Endpoint[];
  readonly choice: EndpointChoice;
  readonly onError: (error: Error) => void;
}

/**
 * Listens on one TCP port of a Service in the network of Pods, or on a node port, while the Service has an endpoint: without one,
 * connections are refused. Connections that are open stay when endpoints change.
 */
export class NetworkListener implements ServiceListener {
  private readonly options: NetworkListenerOptions;
  private readonly former = new Set<ConnectionRelay>();
  private relay: Promise<ConnectionRelay | undefined> | undefined;
  private closed = false;

  constructor(options: NetworkListenerOptions) {
    this.options = options;
  }

  refresh(): void {
    if (this.closed) return;
    if (this.options.endpoints().length === 0) void this.stop();
    else this.relay ??= this.listen();
  }

  async close(): Promise<void> {
    this.closed = true;
    await this.stop();
    for (const relay of this.former) relay[Symbol.dispose]();
  }

  private async stop(): Promise<void> {
    const { relay } = this;
    this.relay = undefined;
    const listening = await relay;
    listening?.stop();
    if (listening) this.former.add(listening);
  }

  private async listen(): Promise<ConnectionRelay | undefined> {
    const { network, port, onError } = this.options;
    try {
      const server = await network.listen(port.address, port.port);
      server.on('error', onError);
      return new ConnectionRelay(server, (client) => this.connect(client));
    } catch (error) {
      const { message } = error as Error;
      const cause = { cause: error };
      onError(new Error(`Service ${port.service}: cannot listen on ${port.address}:${port.port}: ${message}`, cause));
      return undefined;
    }
  }

  private async connect({ remoteAddress = '' }: Socket): Promise<Socket> {
    const { endpoints, choice, network, port } = this.options;
    const endpoint = choice.choose(endpoints(), remoteAddress);
    if (!endpoint) throw new Error(`Service ${port.service} has no endpoint`);
    return network.connect(endpoint.address, endpoint.port);
  }
}
