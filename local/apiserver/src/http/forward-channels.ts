import type { Duplex } from 'node:stream';
import type { RawData, WebSocket } from 'ws';
import type { PortDialer } from '../request/api-response.ts';
import { sessionProtocol } from './session-protocol.ts';
import { asBuffer, SocketOutput } from './socket-output.ts';

/**
 * Forwards ports over a WebSocket with channels: two for each port of the request, the even one for its bytes and the odd one for
 * the reason why it failed. Each starts with the number of the port. Each port has one connection.
 */
export async function forwardChannels(
  connection: WebSocket,
  { ports, dial }: PortDialer & { readonly ports: readonly number[] },
): Promise<void> {
  const disconnected = new AbortController();
  const protocol = sessionProtocol(connection.protocol);
  const output = new SocketOutput(connection);
  const targets: Promise<Duplex | undefined>[] = [];
  const leave = () => disconnected.abort(new Error('the client disconnected'));
  connection.on('close', leave);
  connection.on('error', leave);
  connection.on('message', (data: RawData) => {
    const message = protocol.decode(asBuffer(data));
    if (!message || message.from % 2 === 1) return;
    void targets[message.from / 2]?.then((target) => {
      if (!target?.writable || target.write(message.body)) return;
      connection.pause();
      target.once('drain', () => connection.resume());
      target.once('close', () => connection.resume());
    });
  });
  await Promise.all(
    ports.map(async (port, index) => {
      for (const channel of [2 * index, 2 * index + 1]) void output.send(protocol.encode(channel, portBytes(port)));
      const dialled = dial(port, disconnected.signal).catch(async (error: Error) => {
        await output.send(protocol.encode(2 * index + 1, Buffer.from(error.message)));
        return undefined;
      });
      targets[index] = dialled;
      const target = await dialled;
      if (target) await copyOut(target, (chunk) => output.send(protocol.encode(2 * index, chunk)), disconnected.signal);
    }),
  );
  connection.close(1000);
}

function portBytes(port: number): Buffer {
  const bytes = Buffer.alloc(2);
  bytes.writeUInt16LE(port);
  return bytes;
}

async function copyOut(
  target: Duplex,
  send: (chunk: Uint8Array) => Promise<void> | undefined,
  signal: AbortSignal,
): Promise<void> {
  const destroy = () => target.destroy();
  signal.addEventListener('abort', destroy, { once: true });
  try {
    for await (const chunk of target) await send(chunk as Uint8Array);
  } catch {
    // The connection was reset.
  } finally {
    signal.removeEventListener('abort', destroy);
    target.destroy();
  }
}
