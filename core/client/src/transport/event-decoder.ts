import { parseJson } from '@tektite/meta';
import { ClientError } from '../client-error.ts';
import type { WireEvent } from './transport.ts';

/** Objects are at most a few megabytes; a line that goes on longer is not an event. */
const maxEventBytes = 32 * 1024 * 1024;

const newline = 0x0a;
const types: ReadonlySet<unknown> = new Set(['ADDED', 'MODIFIED', 'DELETED', 'BOOKMARK', 'ERROR']);

/**
 * Cuts the bytes of a watch into events, a line each. Chunks may end anywhere, inside a character too. An unfinished last
 * line is not an event: the stream was cut, and the watch resumes before it.
 */
export class EventDecoder {
  private readonly pending: Uint8Array[] = [];
  private pendingBytes = 0;

  /** The events that are complete with this chunk. */
  *decode(chunk: Uint8Array): Generator<WireEvent> {
    let from = 0;
    for (let end = chunk.indexOf(newline, from); end >= 0; end = chunk.indexOf(newline, from)) {
      const line = this.complete(chunk.subarray(from, end));
      from = end + 1;
      if (line.trim() !== '') yield parseEvent(line);
    }
    if (from < chunk.length) this.keep(chunk.subarray(from));
  }

  private keep(rest: Uint8Array): void {
    this.pending.push(rest);
    this.pendingBytes += rest.length;
    if (this.pendingBytes > maxEventBytes)
      throw new ClientError('INVALID_RESPONSE', `an event of the watch is longer than ${maxEventBytes} bytes`);
  }

  private complete(last: Uint8Array): string {
    if (this.pending.length === 0) return text(last);
    this.pending.push(last);
    const line = text(Buffer.concat(this.pending));
    this.pending.length = 0;
    this.pendingBytes = 0;
    return line;
  }
}

function text(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8');
}

function parseEvent(line: string): WireEvent {
  let event: unknown;
  try {
    event = parseJson(line);
  } catch (cause) {
    throw new ClientError('INVALID_RESPONSE', `the watch sent a line that is not JSON: ${line.slice(0, 100)}`, {
      cause,
    });
  }
  if (!isEvent(event))
    throw new ClientError('INVALID_RESPONSE', `the watch sent a line that is no event: ${line.slice(0, 100)}`);
  return event;
}

function isEvent(value: unknown): value is WireEvent {
  if (typeof value !== 'object' || value === null) return false;
  const { type, object } = value as Partial<WireEvent>;
  return types.has(type) && typeof object === 'object' && object !== null;
}
