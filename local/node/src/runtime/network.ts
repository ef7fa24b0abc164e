import { createSocket, type Socket as UdpSocket } from 'node:dgram';
import { connect, createServer, type Server, type Socket } from 'node:net';

/** Connects to Pods, Services and everything else, from where a node does. */
export interface Network {
  /** A connection that is open. It may stay half open. Rejects with an error of the system: `ECONNREFUSED` and the like. */
  connect(host: string, port: number, signal?: AbortSignal): Promise<Socket>;
  /** Connects to a port inside of a Pod, as port-forward does. Absent where Pods have the network of the machine. */
  connectInside?(uid: string, port: number, signal?: AbortSignal): Promise<Socket>;
  /** A server that listens. Its connections may stay half open. */
  listen(host: string, port: number): Promise<Server>;
  /** A socket that receives the datagrams to an address. */
  listenUdp(host: string, port: number): Promise<UdpSocket>;
  /** A socket for datagrams to Pods. */
  udpSocket(): Promise<UdpSocket>;
}

/** The network of this machine. */
export const machineNetwork: Network = {
  connect: (host, port, signal) => connected(connect({ host, port, allowHalfOpen: true }), signal),
  listen: async (host, port) => {
    const server = createServer({ allowHalfOpen: true });
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject);
      server.listen(port, host, () => {
        server.off('error', reject);
        resolve();
      });
    });
    server.unref();
    return server;
  },
  listenUdp: async (host, port) => {
    const socket = createSocket('udp4');
    await new Promise<void>((resolve, reject) => {
      socket.once('error', (error) => {
        socket.close();
        reject(error);
      });
      socket.bind(port, host, () => {
        socket.removeAllListeners('error');
        resolve();
      });
    });
    return socket.unref();
  },
  udpSocket: async () => createSocket('udp4').unref(),
};

/** The socket when it is connected. */
export function connected(socket: Socket, signal?: AbortSignal): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const settle = (error?: Error) => {
      signal?.removeEventListener('abort', abort);
      socket.off('error', settle);
      if (!error) return resolve(socket);
      // Errors may come again when it is destroyed.
      socket.on('error', () => undefined);
      socket.destroy();
      reject(error);
    };
    const abort = () => settle(new Error('the connection was cancelled'));
    socket.once('error', settle);
    socket.once('connect', () => settle());
    signal?.addEventListener('abort', abort, { once: true });
    if (signal?.aborted) abort();
  });
}
