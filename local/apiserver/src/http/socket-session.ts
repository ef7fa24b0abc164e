import { PassThrough } from 'node:stream';
import type { Status } from '@tektite/meta';
import type { RawData, WebSocket } from 'ws';
import type { Channels } from '../request/api-response.ts';
import { channel, sessionProtocol } from './session-protocol.ts';
import { readSize, statusOf } from './session-values.ts';
import { asBuffer, SocketOutput } from './socket-output.ts';

/** A terminal session over a WebSocket. Its messages carry the number of a channel. */
export async function runSocketSession(
  connection: WebSocket,
  connect: (channels: Channels) => Promise<Status>,
): Promise<void> {
  const gone = new AbortController();
  const stdin = new PassThrough();
  const sizes = new PassThrough({ objectMode: true });
  const leave = () => {
    gone.abort(new Error('the client went away'));
    stdin.end();
    sizes.end();
  };
  connection.on('close', leave);
  connection.on('error', leave);
  const protocol = sessionProtocol(connection.protocol);
  connection.on('message', (data: RawData) => {
    const message = protocol.decode(asBuffer(data));
    if (message) receive(message.from, message.body, connection, stdin, sizes);
  });
  const output = new SocketOutput(connection);
  const send = (to: number, chunk: Uint8Array) => output.send(protocol.encode(to, chunk));
  const status = await connect({
    stdin,
    signal: gone.signal,
    write: (stream, chunk) => send(channel[stream], chunk),
    sizes,
  }).catch(statusOf);
  const last = protocol.encodeStatus(status);
  if (last !== undefined) void send(channel.error, Buffer.from(last));
  connection.close(1000);
}

function receive(from: number, body: Buffer, connection: WebSocket, stdin: PassThrough, sizes: PassThrough): void {
  switch (from) {
    case channel.stdin:
      if (!stdin.writableEnded && !stdin.write(body)) {
        connection.pause();
        stdin.once('drain', () => connection.resume());
      }
      return;
    case channel.resize: {
      const size = readSize(body.toString());
      if (size && !sizes.writableEnded) sizes.write(size);
      return;
    }
    case channel.close:
      if (body[0] === channel.stdin) stdin.end();
      return;
    default:
  }
}
