import { createServer, type IncomingMessage, type Server, type ServerOptions, STATUS_CODES } from 'node:http';
import {
  createSecureServer,
  type Http2SecureServer,
  type Http2ServerRequest,
  type Http2ServerResponse,
  type IncomingHttpHeaders,
  type ServerHttp2Session,
  type ServerHttp2Stream,
} from 'node:http2';
import type { AddressInfo, Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { type Clock, systemClock } from '@tektite/meta';
import { StreamExchange } from './stream-exchange.ts';

export interface TlsOptions {
  /** PEM. */
  readonly certificate: string;
  readonly key: string;
  /** Client certificates are asked for; those signed by it are authorized, others are not refused here. */
  readonly clientCa?: string;
}

/** HTTP/1.1 requests of a server that speaks HTTP/2, too, have the same form. */
export type ServerRequest = Http2ServerRequest;
export type ServerResponse = Http2ServerResponse;

export interface GuardedServerOptions {
  /** Default: all addresses. */
  readonly host?: string;
  /** 0: any free port. */
  readonly port: number;
  /** Absent: plain HTTP/1.1. With it, HTTP/2 as well. */
  readonly tls?: TlsOptions;
  readonly keepAliveTimeoutMs?: number;
  readonly clock?: Clock;
  /** Answers a request. An error that it throws is answered with 500 and handed to `onError`. */
  readonly onRequest: (request: ServerRequest, response: ServerResponse) => Promise<void> | void;
  /** Answers a request of HTTP/2 on its stream, for less. Absent: `onRequest` does. */
  readonly onStream?: (exchange: StreamExchange) => Promise<void>;
  readonly onUpgrade?: (request: IncomingMessage, socket: Duplex, head: Buffer) => Promise<void> | void;
  readonly onError?: (error: unknown) => void;
}

/** Request line and headers together. Larger ones are answered with 431. Selectors of clients are long. */
const maxHeaderBytes = 128 * 1024;
/** A client that has not sent its headers by then is cut off. */
const headersTimeoutMs = 30_000;
const requestTimeoutMs = 120_000;
const maxConnections = 20_000;

/**
 * The server under everything that listens: the API, webhooks, status pages.
 *
 * Guarantees
 * - Nothing that a client sends ends the process: parse errors, broken connections and errors of handlers are answers or ends
 *   of that one connection.
 * - Headers, connections, streams and the time to send a request are limited.
 * - The certificate can be replaced while connections go on; new ones see the new one.
 * - After `retire`, connections end with the next answer, so that hardly any is open when the server ends.
 * - `close` and `drain` leave nothing behind.
 */
export class GuardedServer implements AsyncDisposable {
  readonly port: number;
  readonly address: AddressInfo;
  private readonly server: Server | Http2SecureServer;
  private readonly clock: Clock;
  private readonly sockets = new Set<Socket>();
  private readonly sessions = new Set<ServerHttp2Session>();
  private readonly busy = new Set<Promise<void>>();
  private readonly clientCa: string | undefined;
  private retired = false;

  /** Resolves when the server listens. Rejects when it cannot. */
  static async start(options: GuardedServerOptions): Promise<GuardedServer> {
    const server = options.tls ? createTls(options.tls) : createServer(limits);
    // A server of HTTP/2 takes those for HTTP/1.1 as properties only.
    Object.assign(server, limits, { maxConnections, keepAliveTimeout: options.keepAliveTimeoutMs ?? 120_000 });
    const guarded = await new Promise<GuardedServer>((resolve, reject) => {
      server.once('error', reject);
      server.listen(options.port, options.host, () => {
        server.off('error', reject);
        resolve(new GuardedServer(server, options));
      });
    });
    return guarded;
  }

  private constructor(server: Server | Http2SecureServer, options: GuardedServerOptions) {
    this.server = server;
    this.clock = options.clock ?? systemClock;
    this.clientCa = options.tls?.clientCa;
    this.address = server.address() as AddressInfo;
    this.port = this.address.port;
    this.track();
    const onError = options.onError ?? (() => undefined);
    server.on('request', (request: ServerRequest, response: ServerResponse) => {
      if (this.retired && request.httpVersionMajor === 1) response.setHeader('connection', 'close');
      const answered = answer(options.onRequest, request, response, onError).finally(() => this.busy.delete(answered));
      this.busy.add(answered);
    });
    const { onStream, onUpgrade } = options;
    if (onStream) this.answerStreams(onStream, onError);
    if (onUpgrade)
      server.on('upgrade', (request: IncomingMessage, socket: Duplex, head: Buffer) => {
        Promise.resolve()
          .then(() => onUpgrade(request, socket, head))
          .catch((error: unknown) => {
            onError(error);
            socket.destroy();
          });
      });
  }

  /** New connections see this certificate. Throws when the key does not belong to it. */
  use({ certificate, key, clientCa = this.clientCa }: TlsOptions): void {
    (this.server as Http2SecureServer).setSecureContext({
      cert: certificate,
      key,
      minVersion: 'TLSv1.2',
      ...(clientCa === undefined ? {} : { ca: clientCa }),
    });
  }

  /**
   * Answers as before, and asks clients to come back on another connection. A connection that is kept, and closed while the next
   * request is on its way, loses that request.
   */
  retire(): void {
    this.retired = true;
    // Sessions of HTTP/2 end after their last stream.
    for (const session of this.sessions) session.close();
  }

  /** Takes no new connections, lets answers under way be sent within `milliseconds`, then closes. */
  async drain(milliseconds: number): Promise<void> {
    const closed = this.stopListening();
    this.retire();
    let timer: Disposable | undefined;
    const late = new Promise<void>((resolve) => {
      timer = this.clock.setTimer(milliseconds, resolve);
    });
    await Promise.race([Promise.allSettled(this.busy), late]);
    timer?.[Symbol.dispose]();
    for (const socket of this.sockets) socket.destroy();
    await closed;
  }

  /** Cuts all connections. */
  async close(): Promise<void> {
    const closed = this.stopListening();
    for (const socket of this.sockets) socket.destroy();
    await closed;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  /** Takes streams from Node's own layer, which began to listen for them together with `request`. */
  private answerStreams(
    onStream: NonNullable<GuardedServerOptions['onStream']>,
    onError: (error: unknown) => void,
  ): void {
    const server = this.server as Http2SecureServer;
    server.removeAllListeners('stream');
    server.on('stream', (stream: ServerHttp2Stream, headers: IncomingHttpHeaders, flags: number) => {
      if (headers[':method'] === 'CONNECT') {
        stream.respond({ ':status': 405 }, { endStream: true });
        return;
      }
      if (headers.expect === '100-continue') stream.additionalHeaders({ ':status': 100 });
      const exchange = new StreamExchange(stream, headers, flags);
      const answered = onStream(exchange)
        .catch((error: unknown) => {
          onError(error);
          fail(exchange);
        })
        .finally(() => this.busy.delete(answered));
      this.busy.add(answered);
    });
  }

  private stopListening(): Promise<void> {
    return new Promise((resolve) => void this.server.close(() => resolve()));
  }

  private track(): void {
    const { sockets, sessions } = this;
    const server = this.server as Http2SecureServer;
    const follow = (socket: Socket) => {
      sockets.add(socket);
      socket.setNoDelay(true);
      socket.once('close', () => sockets.delete(socket));
      socket.on('error', () => socket.destroy());
    };
    // From their first moment: a connection that never finishes its handshake would keep the server from closing.
    server.on('connection', follow);
    server.on('secureConnection', follow);
    server.on('session', (session) => {
      sessions.add(session);
      session.once('close', () => sessions.delete(session));
    });
    // Errors of one client: it broke off, or sent no HTTP.
    server.on('sessionError', () => {});
    server.on('tlsClientError', () => {});
    server.on('clientError', answerParseError);
  }
}

const limits: ServerOptions = {
  maxHeaderSize: maxHeaderBytes,
  headersTimeout: headersTimeoutMs,
  requestTimeout: requestTimeoutMs,
};

function createTls({ certificate, key, clientCa }: TlsOptions): Http2SecureServer {
  return createSecureServer({
    key,
    cert: certificate,
    ...(clientCa === undefined ? {} : { ca: clientCa, requestCert: true, rejectUnauthorized: false }),
    allowHTTP1: true,
    minVersion: 'TLSv1.2',
    settings: { maxConcurrentStreams: 1000, maxHeaderListSize: maxHeaderBytes },
  });
}

async function answer(
  onRequest: GuardedServerOptions['onRequest'],
  request: ServerRequest,
  response: ServerResponse,
  onError: (error: unknown) => void,
): Promise<void> {
  try {
    await onRequest(request, response);
  } catch (error) {
    onError(error);
    fail(response);
  }
}

function fail(response: Pick<StreamExchange, 'headersSent' | 'destroyed' | 'destroy' | 'writeHead' | 'end'>): void {
  if (response.headersSent || response.destroyed) response.destroy();
  else {
    response.writeHead(500, { 'content-type': 'text/plain; charset=utf-8' });
    response.end('internal server error\n');
  }
}

/** HTTP/1.1 that cannot be parsed gets an answer, as Go's server gives one. */
function answerParseError(error: NodeJS.ErrnoException, socket: Socket): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy();
    return;
  }
  const code = codes[error.code ?? ''] ?? 400;
  const text = `${code} ${STATUS_CODES[code]}`;
  socket.end(`HTTP/1.1 ${text}\r\ncontent-type: text/plain; charset=utf-8\r\nconnection: close\r\n\r\n${text}`);
  // The rest of the request is read, up to a limit: a connection that is closed with unread bytes takes the answer with it.
  let left = maxHeaderBytes * 4;
  socket.removeAllListeners('data').on('data', ({ length }: Buffer) => {
    left -= length;
    if (left < 0) socket.destroy();
  });
  socket.setTimeout(lingerMs, () => socket.destroy());
  socket.resume();
}

const lingerMs = 2000;

const codes: Readonly<Record<string, number>> = { HPE_HEADER_OVERFLOW: 431, ERR_HTTP_REQUEST_TIMEOUT: 408 };
