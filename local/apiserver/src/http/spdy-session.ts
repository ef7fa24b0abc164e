import { PassThrough, type Duplex } from 'node:stream';
import { finished } from 'node:stream/promises';
import { systemClock } from '@tektite/meta';
import type { ApiResponse } from '../request/api-response.ts';
import { SpdyConnection } from '../spdy/spdy-connection.ts';
import type { SpdyStream } from '../spdy/spdy-stream.ts';
import { sessionProtocol } from './session-protocol.ts';
import { readSize, statusOf } from './session-values.ts';

export const portForwardProtocols: readonly string[] = ['portforward.k8s.io'];

/** The protocols of upstream, the best first. */
export const spdySessionProtocols: readonly string[] = [
  'v4.channel.k8s.io',
  'v3.channel.k8s.io',
  'v2.channel.k8s.io',
  'channel.k8s.io',
];

/** A client that has not opened all its streams by then is disconnected, and one that does not leave after the end. */
const patienceMs = 30_000;
/** As for WebSockets: one who joins a container cannot make it wait. */
const maxBytes = 16 * 1024 * 1024;

/**
 * A terminal session over SPDY: a stream for each of input, outputs, sizes of the terminal and, always, the status. It starts when
 * the client has opened all of them. Resolves when the client disconnects.
 */
export async function runSpdySession(
  socket: Duplex,
  { streams, connect }: Extract<ApiResponse, { type: 'upgrade' }>,
  protocol: string,
): Promise<void> {
  const opened = new Map<string, SpdyStream>();
  // Sizes came with the third version.
  const hasSizes = /^v[3-9]/.test(protocol);
  const wanted = ['error', ...streams.filter((name) => name !== 'resize' || hasSizes)];
  let start: (isReady: boolean) => void = () => undefined;
  const ready = new Promise<boolean>((resolve) => (start = resolve));
  const connection = new SpdyConnection(socket, (stream) => {
    const type = stream.headers.get('streamtype') ?? '';
    if (!wanted.includes(type) || opened.has(type)) stream.destroy();
    else opened.set(type, stream);
    if (opened.size === wanted.length) start(true);
  });
  void connection.closed.then(() => start(false));
  const isReady = await within(ready, socket);
  if (!isReady) return connection.closed;

  const status = await connect(channelsOf(opened, socket)).catch(statusOf);
  const text = sessionProtocol(protocol).encodeStatus(status);
  opened.get('error')?.end(text ?? '');
  for (const name of ['stdout', 'stderr']) opened.get(name)?.end();
  const sent = ['error', 'stdout', 'stderr'].flatMap((name) => opened.get(name) ?? []);
  await Promise.all(sent.map((stream) => finished(stream, { readable: false }).catch(() => undefined)));
  connection.close();
  await within(connection.closed, socket);
}

function channelsOf(
  opened: ReadonlyMap<string, SpdyStream>,
  socket: Duplex,
): Parameters<Extract<ApiResponse, { type: 'upgrade' }>['connect']>[0] {
  const disconnected = new AbortController();
  const sizes = new PassThrough({ objectMode: true });
  socket.once('close', () => {
    disconnected.abort(new Error('the client disconnected'));
    sizes.end();
  });
  for (const name of ['error', 'stdout', 'stderr']) opened.get(name)?.resume();
  void followSizes(opened.get('resize'), sizes);
  return {
    stdin: opened.get('stdin') ?? new PassThrough().end(),
    sizes,
    signal: disconnected.signal,
    write(name, chunk) {
      const stream = opened.get(name);
      if (!stream?.writable || stream.write(chunk)) return undefined;
      if (stream.writableLength > maxBytes) socket.destroy();
      return new Promise((resolve) => {
        const proceed = () => {
          stream.off('drain', proceed);
          stream.off('close', proceed);
          resolve();
        };
        stream.on('drain', proceed);
        stream.on('close', proceed);
      });
    },
  };
}

/** Sizes are JSON values, one after the other. */
async function followSizes(stream: SpdyStream | undefined, sizes: PassThrough): Promise<void> {
  let text = '';
  try {
    for await (const chunk of stream ?? []) {
      text = (text + String(chunk)).slice(-1024);
      for (let end = text.indexOf('}'); end >= 0; end = text.indexOf('}')) {
        const size = readSize(text.slice(0, end + 1).trim());
        if (size && !sizes.writableEnded) sizes.write(size);
        text = text.slice(end + 1);
      }
    }
  } catch {
    // The client disconnected.
  }
}

/** Destroys the socket when a promise takes too long. */
async function within<T>(promise: Promise<T>, socket: Duplex): Promise<T> {
  using _timer = systemClock.setTimer(patienceMs, () => socket.destroy());
  return await promise;
}
