import type { Clock } from '@tektite/meta';
import type { Pod } from '@tektite/schema/kubernetes';
import { ConnectionRelay } from '../runtime/connection-relay.ts';
import { DatagramRelay } from '../runtime/datagram-relay.ts';
import { machineNetwork, type Network } from '../runtime/network.ts';

/** A port of the machine that leads to a Pod cannot be had. */
export class HostPortError extends Error {}

/** The ports of the machine (`hostPort`) that lead to a Pod with a network of its own: TCP and UDP. */
export class HostPorts implements Disposable {
  private readonly relays: Disposable[] = [];

  /** Rejects with a {@link HostPortError} when one of them is used by another program. */
  static async open(pod: Pod, podIP: string, network: Network, clock: Clock): Promise<HostPorts> {
    const ports = new HostPorts();
    const { initContainers, containers } = pod.spec ?? {};
    const wanted = [...(initContainers ?? []), ...(containers ?? [])]
      .flatMap((container) => container.ports ?? [])
      .filter(({ hostPort, protocol = 'TCP' }) => hostPort && protocol !== 'SCTP');
    try {
      for (const { hostIP, hostPort = 0, containerPort, protocol } of wanted) {
        const address = hostIP || '0.0.0.0';
        if (protocol === 'UDP') {
          const choose = () => ({ address: podIP, port: containerPort });
          const open = () => network.udpSocket();
          const socket = await machineNetwork.listenUdp(address, hostPort);
          ports.relays.push(new DatagramRelay(socket, { clock, choose, open }));
        } else {
          const server = await machineNetwork.listen(address, hostPort);
          ports.relays.push(new ConnectionRelay(server, () => network.connect(podIP, containerPort)));
        }
      }
      return ports;
    } catch (error) {
      ports[Symbol.dispose]();
      throw new HostPortError(`cannot use a port of the machine: ${(error as Error).message}`, { cause: error });
    }
  }

  [Symbol.dispose](): void {
    for (const relay of this.relays) relay[Symbol.dispose]();
  }
}
