import type { Duplex } from 'node:stream';
import type { PortDialer } from '../request/api-response.ts';
import { SpdyConnection } from '../spdy/spdy-connection.ts';
import type { SpdyStream } from '../spdy/spdy-stream.ts';

interface Pair {
  readonly error?: SpdyStream;
  readonly data?: SpdyStream;
}

/**
 * Forwards ports over SPDY. For each connection the client opens two streams with one `requestID`: `data` carries its bytes,
 * `error` the reason why it failed. Resolves when the client disconnects.
 */
export async function forwardStreams(socket: Duplex, dialer: PortDialer): Promise<void> {
  const disconnected = new AbortController();
  const pairs = new Map<string, Pair>();
  const connection = new SpdyConnection(socket, (stream) => {
    const type = stream.headers.get('streamtype');
    const port = Number(stream.headers.get('port'));
    if ((type !== 'error' && type !== 'data') || !Number.isInteger(port) || port < 1 || port > 65_535) {
      stream.destroy();
      return;
    }
    const id = `${port} ${stream.headers.get('requestid') ?? ''}`;
    const pair: Pair = { ...pairs.get(id), [type]: stream };
    const { error, data } = pair;
    if (error && data) {
      pairs.delete(id);
      void forward(port, { error, data }, dialer, disconnected.signal);
      return;
    }
    pairs.set(id, pair);
    stream.once('close', () => pairs.delete(id));
  });
  await connection.closed;
  disconnected.abort(new Error('the client disconnected'));
}

async function forward(port: number, pair: Required<Pair>, dialer: PortDialer, signal: AbortSignal): Promise<void> {
  const { error, data } = pair;
  // The client sends nothing there; its end has to be read.
  error.resume();
  let target: Duplex;
  try {
    target = await dialer.dial(port, signal);
  } catch (failure) {
    data.resume();
    data.end();
    error.end((failure as Error).message);
    return;
  }
  await join(data, target);
  error.end();
}

/** Copies both directions until each has ended. */
async function join(data: Duplex, target: Duplex): Promise<void> {
  target.on('error', () => target.destroy());
  data.on('close', () => target.destroy());
  data.pipe(target);
  target.pipe(data);
  await new Promise<void>((resolve) => target.once('close', resolve));
  // The client may go on sending, and nothing reads it.
  data.unpipe(target);
  data.resume();
  if (!data.writableEnded) data.end();
}
