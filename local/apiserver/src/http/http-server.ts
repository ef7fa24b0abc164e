import {
  createSecureServer,
  type Http2SecureServer,
  type Http2ServerRequest,
  type Http2ServerResponse,
} from 'node:http2';
import type { IncomingMessage } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { TLSSocket } from 'node:tls';
import { isStatusError, StatusError, systemClock } from '@tektite/meta';
import type { ApiRequest, ApiResponse } from '../rest/api-request.ts';
import { BodyReader } from './body-reader.ts';
import { encodeBody } from './encode-body.ts';
import { streamWatch } from './stream-watch.ts';
import { answerUpgrade } from './upgrade.ts';

export interface HttpServerOptions {
  readonly host: string;
  /** 0: any free port. */
  readonly port: number;
  readonly key: string;
  readonly certificate: string;
  /** Client certificates signed by it are believed. */
  readonly clientCa: string;
  /** Rejects with a StatusError when somebody may not send a request, whatever is in it: asked before a large body is read. */
  readonly admit?: (request: ApiRequest) => Promise<void>;
  /** Answers a request; never rejects. */
  readonly handle: (request: ApiRequest) => Promise<ApiResponse>;
}

/** A server that listens. */
export interface RunningHttpServer {
  readonly port: number;
  close(): Promise<void>;
}

/** Whether the client is still there, and who wants to know when it goes. */
export interface Connection {
  closed: boolean;
  onClose?: () => void;
}

/** node:http2 presents HTTP/1.1 requests in the same form. */
type AnyRequest = Http2ServerRequest;
type AnyResponse = Http2ServerResponse;

/** Serves the API over HTTPS: HTTP/2 for clients that speak it, HTTP/1.1 for the rest. */
export async function serveHttps(options: HttpServerOptions): Promise<RunningHttpServer> {
  const sockets = new Set<Socket>();
  const bodies = new BodyReader();
  const server: Http2SecureServer = createSecureServer(
    {
      key: options.key,
      cert: options.certificate,
      ca: options.clientCa,
      requestCert: true,
      rejectUnauthorized: false,
      allowHTTP1: true,
      minVersion: 'TLSv1.2',
      settings: { maxConcurrentStreams: 1000 },
    },
    (request, response) => void answer(options, bodies, request, response),
  );
  const track = (socket: Socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
    socket.on('error', () => socket.destroy());
  };
  // Connections count from their first moment: one that has not said hello yet would keep the server from closing.
  server.on('connection', track);
  server.on('secureConnection', (socket: TLSSocket) => {
    track(socket);
    socket.setNoDelay(true);
  });
  server.on('upgrade', (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    void answerUpgrade(
      toApiRequest(request as unknown as AnyRequest, undefined),
      options.handle,
      request,
      socket,
      head,
    );
  });
  // A client that breaks off, or speaks nonsense, is its own problem.
  server.on('sessionError', () => {});
  server.on('tlsClientError', () => {});
  server.on('clientError', (_error, socket) => socket.destroy());
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(options.port, options.host, () => {
      server.off('error', reject);
      resolve();
    });
  });
  return {
    port: (server.address() as AddressInfo).port,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        for (const socket of sockets) socket.destroy();
      }),
  };
}

async function answer(
  options: HttpServerOptions,
  bodies: BodyReader,
  request: AnyRequest,
  response: AnyResponse,
): Promise<void> {
  const connection: Connection = { closed: false };
  const close = () => {
    connection.closed = true;
    connection.onClose?.();
  };
  response.on('close', close);
  response.on('error', close);
  try {
    const body = await bodies.read(request, () => options.admit?.(toApiRequest(request, undefined)));
    const result = await options.handle(toApiRequest(request, body));
    if (!connection.closed) await write(request, response, result, connection);
  } catch (error) {
    if (connection.closed || response.headersSent) {
      response.destroy();
      return;
    }
    const status = isStatusError(error)
      ? error
      : new StatusError({ code: 500, reason: 'InternalError', message: 'Internal error occurred' });
    const failure: ApiResponse = { code: status.code, type: 'object', media: 'json', object: status.status };
    await write(request, response, failure, connection);
  }
}

function toApiRequest(request: AnyRequest, body: Uint8Array | undefined): ApiRequest {
  const url = request.url ?? '/';
  const mark = url.indexOf('?');
  const headers: Record<string, string | undefined> = Object.create(null);
  for (const [name, value] of Object.entries(request.headers)) {
    if (!name.startsWith(':'))
      headers[name] = Array.isArray(value) ? value.join(name === 'cookie' ? '; ' : ', ') : value;
  }
  headers.host ??= request.headers[':authority'] as string | undefined;
  const { certificate, bad } = clientCertificate(request);
  return {
    method: request.method ?? 'GET',
    path: mark < 0 ? url : url.slice(0, mark),
    query: new URLSearchParams(mark < 0 ? '' : url.slice(mark + 1)),
    headers,
    ...(body ? { body } : {}),
    ...(certificate ? { clientCertificate: certificate } : {}),
    ...(bad ? { badClientCertificate: true } : {}),
  };
}

interface ShownCertificate {
  readonly certificate?: NonNullable<ApiRequest['clientCertificate']>;
  readonly bad?: boolean;
  /** When its time is over, in milliseconds: connections may last longer than certificates. */
  readonly ends?: number;
}

/** What each connection has shown; it can not show another one. */
const shown = new WeakMap<object, ShownCertificate>();

function clientCertificate(request: AnyRequest): ShownCertificate {
  const connection = request.stream?.session ?? request.socket;
  let known = shown.get(connection);
  if (!known)
    shown.set(connection, (known = readCertificate((request.stream?.session?.socket ?? request.socket) as TLSSocket)));
  return known.ends !== undefined && known.ends < systemClock.now() ? { bad: true } : known;
}

function readCertificate(socket: TLSSocket): ShownCertificate {
  const { subject, fingerprint256, valid_to: end } = socket.getPeerCertificate();
  if (!subject) return {};
  if (!socket.authorized) return { bad: true };
  const organizations = subject.O as string | string[] | undefined;
  return {
    ends: Date.parse(end),
    certificate: {
      commonName: String(subject.CN ?? ''),
      organizations: organizations === undefined ? [] : Array.isArray(organizations) ? organizations : [organizations],
      fingerprint: fingerprint256,
    },
  };
}

type HeaderValues = Readonly<Record<string, string | readonly string[]>>;

/** Node takes one byte for each character of a header; warnings may have others, which go out as UTF-8. */
function asHeaderBytes(headers: HeaderValues): HeaderValues {
  const encode = (value: string) => Buffer.from(value, 'utf8').toString('latin1');
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [
      name,
      typeof value === 'string' ? encode(value) : value.map(encode),
    ]),
  );
}

async function write(
  request: AnyRequest,
  response: AnyResponse,
  result: ApiResponse,
  connection: Connection,
): Promise<void> {
  const headers: Record<string, string | readonly string[]> = {
    'cache-control': 'no-cache, private',
    'content-type': contentType(result),
    ...(result.headers && asHeaderBytes(result.headers)),
  };
  if (result.type === 'watch') {
    streamWatch(response, result.code, headers, result.source, result.media, connection);
    return;
  }
  if (result.type === 'stream') {
    response.writeHead(result.code, headers as Record<string, string>);
    for await (const chunk of result.stream) if (!response.write(chunk)) await drained(response, connection);
    response.end();
    return;
  }
  if (result.type === 'upgrade')
    throw new StatusError({ code: 400, reason: 'BadRequest', message: 'Upgrade request required' });
  const body = result.type === 'text' ? result.text : encodeBody(result.object, result.media, request.url ?? '');
  const bytes = Buffer.from(body);
  headers['content-length'] = String(bytes.length);
  response.writeHead(result.code, headers as Record<string, string>);
  if (request.method === 'HEAD') response.end();
  else response.end(bytes);
}

function contentType(result: ApiResponse): string {
  if (result.type === 'text' || result.type === 'stream') return result.contentType;
  if (result.type === 'upgrade') return 'application/json';
  return result.media === 'yaml' ? 'application/yaml' : 'application/json';
}

function drained(response: AnyResponse, connection: Connection): Promise<void> {
  return new Promise((resolve) => {
    response.once('drain', resolve);
    connection.onClose = resolve;
    if (connection.closed) resolve();
  });
}
