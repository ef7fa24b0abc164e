import { connect, createServer, type Socket } from 'node:net';
import type { AddressInfo } from 'node:net';

/** A way to a server on which all connections are cut again and again. */
export interface CuttingProxy {
  readonly port: number;
  readonly cuts: number;
  /** From now on nothing is cut any more. */
  heal(): void;
  close(): Promise<void>;
}

/** Passes bytes on, and every `everyMs` cuts what is open: mostly with a reset, sometimes by silence until the next time. */
export async function startCuttingProxy(target: URL, everyMs: number): Promise<CuttingProxy> {
  const sockets = new Set<Socket>();
  let cuts = 0;
  const server = createServer((client) => {
    const upstream = connect(Number(target.port), target.hostname);
    for (const socket of [client, upstream]) {
      sockets.add(socket);
      socket.on('error', () => undefined);
      socket.on('close', () => {
        sockets.delete(socket);
        client.destroy();
        upstream.destroy();
      });
    }
    client.pipe(upstream);
    upstream.pipe(client);
  });
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  const timer = setInterval(() => {
    if (sockets.size === 0) return;
    cuts++;
    for (const socket of sockets) socket.resetAndDestroy();
  }, everyMs);
  return {
    port: (server.address() as AddressInfo).port,
    get cuts() {
      return cuts;
    },
    heal: () => clearInterval(timer),
    async close() {
      clearInterval(timer);
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => void server.close(resolve));
    },
  };
}
