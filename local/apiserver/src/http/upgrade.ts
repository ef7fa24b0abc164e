import type { IncomingMessage } from 'node:http';
import { PassThrough } from 'node:stream';
import type { Duplex } from 'node:stream';
import { isStatusError, type Status, StatusError } from '@tektite/meta';
import { type RawData, type WebSocket, WebSocketServer } from 'ws';
import { denyForeignPage } from './foreign-page.ts';
import { channel, encodeStreamed, sessionProtocol, sessionProtocols, streamProtocols } from './session-protocol.ts';
import type { ApiRequest } from '../request/api-request.ts';
import type { ApiResponse, Channels, TerminalSize } from '../request/api-response.ts';

/**
 * More than a terminal ever sends at once; it bounds the memory of a client that types faster than the container reads.
 */
const maxMessageBytes = 1024 * 1024;
/** So much is sent ahead of what a client has read; then the program has to wait. */
const enoughBytes = 256 * 1024;
/** One who joins a container cannot make it wait: with so much unread, the session ends. */
const maxBytes = 16 * 1024 * 1024;
const sessions = socketServer(sessionProtocols);
const streams = socketServer(streamProtocols);

function socketServer(protocols: readonly string[]): WebSocketServer {
  return new WebSocketServer({
    noServer: true,
    maxPayload: maxMessageBytes,
    handleProtocols: (offered) => protocols.find((protocol) => offered.has(protocol)) ?? false,
  });
}

/** Answers a request to switch protocols: with a WebSocket if the server agrees, otherwise as any other request. */
export async function answerUpgrade(
  request: ApiRequest,
  handle: (request: ApiRequest) => Promise<ApiResponse>,
  incoming: IncomingMessage,
  socket: Duplex,
  head: Buffer,
): Promise<void> {
  socket.on('error', () => socket.destroy());
  try {
    denyForeignPage(incoming, true);
  } catch (error) {
    return refuse(socket, failure(error as StatusError));
  }
  const answer = await handle(request);
  if (answer.type !== 'upgrade' && (answer.type !== 'stream' || answer.code !== 200)) return refuse(socket, answer);
  const protocols = answer.type === 'upgrade' ? sessionProtocols : streamProtocols;
  const offered = (incoming.headers['sec-websocket-protocol'] ?? '').split(',').map((name) => name.trim());
  if (!offered.includes('') && !protocols.some((protocol) => offered.includes(protocol))) {
    const message = `unable to upgrade: no protocol of ${JSON.stringify(offered)} is supported; there are ${protocols.join(', ')}`;
    return refuse(socket, failure(new StatusError({ code: 403, reason: 'Forbidden', message })));
  }
  if (answer.type === 'upgrade')
    sessions.handleUpgrade(incoming, socket, head, (connection) => void run(connection, answer.connect));
  else streams.handleUpgrade(incoming, socket, head, (connection) => void sendStream(connection, answer.stream));
}

/** Sends a log, no faster than the client reads. */
async function sendStream(connection: WebSocket, stream: AsyncIterable<Uint8Array>): Promise<void> {
  const output = new Output(connection);
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

function failure(error: StatusError): ApiResponse {
  return { code: error.code, type: 'object', media: 'json', object: error.status };
}

function refuse(socket: Duplex, answer: ApiResponse): void {
  const body = answer.type === 'object' ? JSON.stringify(answer.object) : answer.type === 'text' ? answer.text : '';
  const type = answer.type === 'text' ? answer.contentType : 'application/json';
  const lines = [
    `HTTP/1.1 ${answer.code} `,
    `content-type: ${type}`,
    `content-length: ${Buffer.byteLength(body)}`,
    'connection: close',
  ];
  if (answer.type === 'watch') answer.source.stop();
  socket.end(`${lines.join('\r\n')}\r\n\r\n${body}`);
}

async function run(connection: WebSocket, connect: (channels: Channels) => Promise<Status>): Promise<void> {
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
  const output = new Output(connection);
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

/** Messages on their way to a client, no more of them than it takes. */
class Output {
  private readonly connection: WebSocket;
  private waiting: (() => void)[] = [];

  constructor(connection: WebSocket) {
    this.connection = connection;
    connection.on('close', () => this.release());
  }

  send(message: Uint8Array | string): Promise<void> | undefined {
    const { connection } = this;
    if (connection.readyState !== connection.OPEN) return undefined;
    connection.send(message, () => {
      if (connection.bufferedAmount < enoughBytes) this.release();
    });
    if (connection.bufferedAmount > maxBytes) connection.terminate();
    if (connection.bufferedAmount < enoughBytes) return undefined;
    return new Promise((resolve) => this.waiting.push(resolve));
  }

  private release(): void {
    const { waiting } = this;
    this.waiting = [];
    for (const resolve of waiting) resolve();
  }
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

function readSize(text: string): TerminalSize | undefined {
  try {
    const { Width: width, Height: height } = JSON.parse(text) as { Width?: unknown; Height?: unknown };
    return typeof width === 'number' && typeof height === 'number' ? { rows: height, columns: width } : undefined;
  } catch {
    return undefined;
  }
}

function asBuffer(data: RawData): Buffer {
  if (Array.isArray(data)) return Buffer.concat(data);
  return Buffer.isBuffer(data) ? data : Buffer.from(data);
}

function statusOf(error: unknown): Status {
  if (isStatusError(error)) return error.status;
  const message = error instanceof Error ? error.message : String(error);
  return new StatusError({ code: 500, reason: 'InternalError', message }).status;
}
