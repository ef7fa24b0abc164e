import type { WebSocket } from 'ws';
import { encodeStreamed } from './session-protocol.ts';
import { SocketOutput } from './socket-output.ts';

/** Sends a log, no faster than the client reads. */
export async function sendStream(connection: WebSocket, stream: AsyncIterable<Uint8Array>): Promise<void> {
  const output = new SocketOutput(connection);
  connection.on('error', () => connection.terminate());
  try {
    for await (const chunk of stream) {
      if (connection.readyState !== connection.OPEN) return;
      await output.send(encodeStreamed(connection.protocol, chunk));
    }
    connection.close(1000);
  } catch {
    connection.close(1011);
  }
}
