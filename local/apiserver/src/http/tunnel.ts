import type { Duplex } from 'node:stream';
import { isStatusError, StatusError } from '@tektite/meta';
import type { ApiResponse, TunnelEnd } from '../request/api-response.ts';
import { failure, refuse } from './refuse-upgrade.ts';

/**
 * Joins a client and the far end of a tunnel. When one side closes, so does the other; a side that only ends its output still
 * receives.
 */
export async function openTunnel(
  answer: Extract<ApiResponse, { type: 'tunnel' }>,
  socket: Duplex,
  head: Buffer,
): Promise<void> {
  const left = new AbortController();
  const abort = () => left.abort();
  socket.once('close', abort);
  let end: TunnelEnd;
  try {
    end = await answer.open(left.signal);
  } catch (error) {
    const status = isStatusError(error) ? error : new StatusError({ code: 500, reason: 'InternalError', message: '' });
    return refuse(socket, failure(status));
  } finally {
    socket.off('close', abort);
  }
  if ('refusal' in end) return refuse(socket, end.refusal);
  const lines = Object.entries(end.headers).flatMap(([name, value]) =>
    (typeof value === 'string' ? [value] : value).map((each) => `${name}: ${each}`),
  );
  socket.write(`HTTP/1.1 101 Switching Protocols\r\n${lines.join('\r\n')}\r\n\r\n`);
  if (head.length > 0) socket.unshift(head);
  join(socket, end.socket);
  join(end.socket, socket);
}

/** Passes on what one side sends, and its end. A side that has closed takes the other with it. */
function join(from: Duplex, to: Duplex): void {
  from.on('error', () => from.destroy());
  from.once('close', () => to.destroy());
  if (from.destroyed) to.destroy();
  else from.pipe(to);
}
