import { StatusError } from '@tektite/meta';
import type { ApiResponse } from '../request/api-response.ts';
import type { Connection, IncomingRequest, OutgoingResponse } from './connection.ts';
import { protobuf } from '../codec/media-type.ts';
import { encodeAnswer } from './encode-body.ts';
import type { SlowReaders } from './slow-readers.ts';
import { streamWatch } from './stream-watch.ts';
import type { InTurn, Turns } from './turns.ts';

type HeaderValues = Readonly<Record<string, string | readonly string[]>>;

/** Sends answers no faster than their clients read them. */
export class ResponseWriter {
  private readonly slow: SlowReaders;
  private readonly turns: Turns;

  constructor(slow: SlowReaders, turns: Turns) {
    this.slow = slow;
    this.turns = turns;
  }

  /** `client` names the one whose share of memory a slow answer takes. */
  async write(
    request: IncomingRequest,
    response: OutgoingResponse,
    result: ApiResponse,
    connection: Connection,
    client: string,
  ): Promise<void> {
    const headers: Record<string, string | readonly string[]> = {
      'cache-control': 'no-cache, private',
      'content-type': contentType(result),
      ...(result.headers && asHeaderBytes(result.headers)),
    };
    const wait = (held: () => number) => this.slow.wait({ client, held, cut: () => response.destroy() });
    const inTurn: InTurn = (work) => this.turns.do(client, work);
    if (result.type === 'watch') {
      streamWatch(response, result.code, headers, result.source, result.media, connection, wait, inTurn);
      return;
    }
    if (isSwitch(result))
      throw new StatusError({ code: 400, reason: 'BadRequest', message: 'Upgrade request required' });
    if (result.type === 'stream') {
      response.writeHead(result.code, headers as Record<string, string>);
      for await (const chunk of result.stream)
        if (!response.write(chunk))
          await drained(
            response,
            connection,
            wait(() => chunk.length),
          );
      response.end();
      return;
    }
    const pieces = result.type === 'text' ? once(result.text) : encodeAnswer(result, request.url ?? '');
    let piece = pieces.next();
    let next = pieces.next();
    if (next.done) headers['content-length'] = String(Buffer.byteLength(piece.value as string | Buffer));
    response.writeHead(result.code, headers as Record<string, string>);
    if (request.method === 'HEAD') {
      response.end();
      return;
    }
    const held = next.done ? 0 : heldBytes(result);
    const writePiece = () => {
      const flushed = response.write(piece.value as string | Buffer);
      piece = next;
      next = pieces.next();
      return flushed;
    };
    const waitForReader = () =>
      drained(
        response,
        connection,
        wait(() => held),
      );
    while (!next.done && !connection.closed) if (!(await inTurn(writePiece))) await waitForReader();
    const last = piece.value as string | Buffer;
    response.end(last);
    // The rest is in the buffer of the connection; a client that never reads it is cut off as well.
    if (last.length > smallBytes || (response.stream ?? response).writableNeedDrain)
      await finished(
        response,
        connection,
        wait(() => last.length),
      );
  }
}

/** Answers of this size take no more than the connection itself. */
const smallBytes = 64 * 1024;

function* once(text: string): Generator<string | Buffer> {
  yield text;
}

/** About how much memory an answer holds that is still to be encoded: objects of a list are those of the storage. */
function heldBytes(result: ApiResponse): number {
  const { items = [], rows = [] } = (result.type === 'object' ? result.object : {}) as {
    readonly items?: readonly unknown[];
    readonly rows?: readonly unknown[];
  };
  const count = result.type === 'storedList' ? result.list.entries.length : items.length;
  // A list in protobuf is encoded before its first byte is sent.
  const each = 'media' in result && result.media === 'protobuf' ? 1024 : 64;
  return smallBytes + count * each + rows.length * 1024;
}

/** Resolves when the client has read enough, or is no longer there. */
function drained(response: OutgoingResponse, connection: Connection, waiting: Disposable): Promise<void> {
  return settled(connection, waiting, (resolve) => response.once('drain', resolve));
}

function finished(response: OutgoingResponse, connection: Connection, waiting: Disposable): Promise<void> {
  return settled(connection, waiting, (resolve) => response.once('finish', resolve));
}

async function settled(
  connection: Connection,
  waiting: Disposable,
  subscribe: (resolve: () => void) => void,
): Promise<void> {
  using _ = waiting;
  await new Promise<void>((resolve) => {
    subscribe(resolve);
    connection.onClose = resolve;
    if (connection.closed) resolve();
  });
}

/** Node takes one byte for each character of a header; warnings may have others, which go out as UTF-8. */
function asHeaderBytes(headers: HeaderValues): HeaderValues {
  const encode = (value: string) => (notAscii.test(value) ? Buffer.from(value, 'utf8').toString('latin1') : value);
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [
      name,
      typeof value === 'string' ? encode(value) : value.map(encode),
    ]),
  );
}

// biome-ignore lint: a class of control characters
const notAscii = /[^\x00-\x7f]/;

/** Answers to requests that switch protocols. */
function isSwitch(result: ApiResponse): result is Extract<ApiResponse, { type: 'upgrade' | 'portForward' | 'tunnel' }> {
  return result.type === 'upgrade' || result.type === 'portForward' || result.type === 'tunnel';
}

function contentType(result: ApiResponse): string {
  if (result.type === 'text' || result.type === 'stream') return result.contentType;
  if (isSwitch(result)) return 'application/json';
  if (result.media === 'protobuf') return result.type === 'watch' ? `${protobuf};stream=watch` : protobuf;
  return result.media === 'yaml' ? 'application/yaml' : 'application/json';
}
