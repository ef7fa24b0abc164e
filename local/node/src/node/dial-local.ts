import { connect, type Socket } from 'node:net';

const timeoutMs = 30_000;

/** Connects to a port of this machine. Rejects with a message that names the port. */
export async function dialLocal(port: number, signal?: AbortSignal): Promise<Socket> {
  const socket = connect({ host: 'localhost', port, noDelay: true, allowHalfOpen: true });
  socket.setTimeout(timeoutMs, () => socket.destroy(new Error('timed out')));
  const abort = () => socket.destroy(signal?.reason as Error);
  signal?.addEventListener('abort', abort, { once: true });
  socket.once('close', () => signal?.removeEventListener('abort', abort));
  return new Promise((resolve, reject) => {
    socket.once('connect', () => {
      socket.setTimeout(0);
      resolve(socket);
    });
    const fail = (error: Error) => {
      // Several addresses were tried: each has its own error.
      const [first] = error instanceof AggregateError ? (error.errors as Error[]) : [error];
      reject(new Error(`failed to connect to localhost:${port}: ${first?.message ?? error.message}`, { cause: error }));
    };
    socket.on('error', fail);
  });
}
