import type { Server, Socket } from 'node:net';
import { machineNetwork } from '../runtime/network.ts';
import { relay } from '../runtime/relay.ts';

/** Relays the connections of Pods to other networks: each was meant for the address on which it is accepted. */
export class WayOut implements Disposable {
  private readonly server: Server;
  private readonly sockets = new Set<Socket>();

  constructor(server: Server) {
    this.server = server;
    server.on('connection', (socket) => void this.forward(socket));
  }

  [Symbol.dispose](): void {
    this.server.close();
    for (const socket of this.sockets) socket.destroy();
  }

  private async forward(client: Socket): Promise<void> {
    this.sockets.add(client);
    client.once('close', () => this.sockets.delete(client));
    client.on('error', () => client.destroy());
    const { localAddress = '', localPort = 0 } = client;
    try {
      relay(client, await machineNetwork.connect(localAddress, localPort));
    } catch {
      client.resetAndDestroy();
    }
  }
}
