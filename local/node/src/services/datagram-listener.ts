import type { Clock } from '@tektite/meta';
import type { PodNetwork } from '../network/pod-network.ts';
import { DatagramRelay } from '../runtime/datagram-relay.ts';
import type { NetworkListenerOptions } from './network-listener.ts';
import type { ServiceListener } from './service-listener.ts';

interface DatagramListenerOptions extends NetworkListenerOptions {
  readonly network: PodNetwork;
  readonly clock: Clock;
}

/** Serves one UDP port of a Service in the network of Pods, or a node port, while the Service has an endpoint. */
export class DatagramListener implements ServiceListener {
  private readonly options: DatagramListenerOptions;
  private relay: Promise<DatagramRelay | undefined> | undefined;
  private closed = false;

  constructor(options: DatagramListenerOptions) {
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
  }

  private async stop(): Promise<void> {
    const { relay } = this;
    this.relay = undefined;
    (await relay)?.[Symbol.dispose]();
  }

  private async listen(): Promise<DatagramRelay | undefined> {
    const { network, port, endpoints, choice, clock, onError } = this.options;
    try {
      const socket = await network.listenUdp(port.address, port.port);
      socket.on('error', onError);
      return new DatagramRelay(socket, {
        clock,
        choose: (client) => choice.choose(endpoints(), client),
        open: () => network.udpSocket(),
      });
    } catch (error) {
      const { message } = error as Error;
      const cause = { cause: error };
      onError(new Error(`Service ${port.service}: cannot listen on ${port.address}:${port.port}: ${message}`, cause));
      return undefined;
    }
  }
}
