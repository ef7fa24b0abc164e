import type { Transport } from '@tektite/client';
import { parseTarget } from '@tektite/http';
import type { WebSocket } from 'ws';
import { openStream } from './open-stream.ts';
import { proxiedPath } from './proxied-path.ts';
import { denial, statusOf } from './send.ts';

/** Streams that a page may have open: the watches and logs of one page of the dashboard are fewer than ten. */
const maxStreams = 100;
/** So much is sent ahead of what the browser has read. */
const enoughBytes = 1024 * 1024;
const pauseMs = 20;

interface ClientMessage {
  /** Opens the stream of this number. */
  readonly open?: number;
  readonly path?: string;
  /** Closes the stream of this number. */
  readonly close?: number;
}

export interface StreamSocketOptions {
  readonly transport: Transport;
  /** Waits. */
  readonly pause: (ms: number) => Promise<void>;
}

/**
 * All watches and logs of a page on one WebSocket. A browser opens six connections to a server, and a watch over HTTP/1.1 keeps one for
 * itself: two tabs would be enough to have the third wait for ever.
 *
 * The browser sends `{"open": 1, "path": "/api/v1/pods?watch=1"}` and `{"close": 1}`. The server sends bytes of a stream as a binary
 * message, behind four bytes with its number; `{"end": 1}` when it ended, and `{"end": 1, "status": {…}}` when it failed.
 */
export function serveStreams(socket: WebSocket, { transport, pause }: StreamSocketOptions): void {
  const streams = new Map<number, AbortController>();
  const send = (message: object) => {
    if (socket.readyState === socket.OPEN) socket.send(JSON.stringify(message));
  };
  const open = async (id: number, target: string) => {
    if (streams.has(id)) return;
    const abort = new AbortController();
    streams.set(id, abort);
    try {
      if (streams.size > maxStreams) throw denial(403, `more than ${maxStreams} streams are open`);
      await pump(id, target, abort.signal);
      send({ end: id });
    } catch (error) {
      if (!abort.signal.aborted) send({ end: id, status: statusOf(error) });
    } finally {
      streams.delete(id);
    }
  };
  const pump = async (id: number, target: string, signal: AbortSignal) => {
    const parsed = parseTarget(target);
    const path = parsed && proxiedPath(parsed.path);
    if (!parsed || path === undefined) throw denial(404, 'the page does not pass on this path');
    const stream = await openStream(transport, { path, query: parsed.query, signal });
    const head = Buffer.alloc(4);
    head.writeUInt32BE(id);
    for await (const chunk of stream) {
      if (signal.aborted) return;
      socket.send(Buffer.concat([head, chunk]), { binary: true });
      while (socket.bufferedAmount > enoughBytes && !signal.aborted) await pause(pauseMs);
    }
  };
  socket.on('message', (data, isBinary) => {
    const message = isBinary ? undefined : parseMessage(String(data));
    if (!message) return socket.close(1008, 'not understood');
    if (isId(message.open) && typeof message.path === 'string') void open(message.open, message.path);
    else if (isId(message.close)) streams.get(message.close)?.abort(new Error('closed'));
    else socket.close(1008, 'not understood');
  });
  socket.on('error', () => socket.terminate());
  socket.on('close', () => {
    for (const abort of streams.values()) abort.abort(new Error('the client left'));
  });
}

function isId(value: unknown): value is number {
  return Number.isInteger(value) && (value as number) > 0 && (value as number) < 2 ** 32;
}

function parseMessage(text: string): ClientMessage | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? value : undefined;
  } catch {
    return undefined;
  }
}
