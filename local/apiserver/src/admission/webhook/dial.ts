import type { Socket } from 'node:net';
import type { buildConnector } from 'undici';

/** Opens a connection to a Pod, or to anything else. Given where Pods have a network that this machine is not in. */
export type Dial = (host: string, port: number, signal?: AbortSignal) => Promise<Socket>;

/** The connector, on connections that are dialled. */
export function dialled(
  connect: buildConnector.connector,
  dial: Dial | undefined,
  timeoutMs: number,
): buildConnector.connector {
  if (!dial) return connect;
  return (options, callback) => {
    const isSecure = options.protocol === 'https:';
    const port = Number(options.port) || (isSecure ? 443 : 80);
    const host = options.hostname.replace(/^\[|\]$/g, '');
    const open = async () => {
      let socket: Socket;
      try {
        socket = await dial(host, port, AbortSignal.timeout(timeoutMs));
      } catch (error) {
        callback(error as Error, null);
        return;
      }
      if (isSecure) connect({ ...options, httpSocket: socket }, callback);
      else callback(null, socket);
    };
    void open();
  };
}
