import {
  createSecureServer,
  type Http2SecureServer,
  type Http2ServerRequest,
  type Http2ServerResponse,
} from 'node:http2';
import type { AddressInfo, Socket } from 'node:net';
import type { TLSSocket } from 'node:tls';
import { isStatusError, requestEntityTooLargeError, StatusError } from '@tektite/meta';
import type { ApiRequest, ApiResponse } from '../rest/api-request.ts';
import { encodeBody } from './encode-body.ts';
import { streamWatch } from './stream-watch.ts';

export interface HttpServerOptions {
  readonly host: string;
  /** 0: any free port. */
  readonly port: number;
  readonly key: string;
  readonly certificate: string;
  /** Client certificates signed by it are believed. */
  readonly clientCa: string;
  /** Answers a request; never rejects. */
  readonly handle: (request: ApiRequest) => Promise<ApiResponse>;
}

/** A server that listens. */
export interface RunningHttpServer {
  readonly port: number;
  close(): Promise<void>;
}

/** Larger bodies are refused, as upstream does. */
const maxBodyBytes = 3 * 1024 * 1024;

/** node:http2 presents HTTP/1.1 requests in the same form. */
type AnyRequest = Http2ServerRequest;
type AnyResponse = Http2ServerResponse;

/** Serves the API over HTTPS: HTTP/2 for clients that speak it, HTTP/1.1 for the rest. */
export async function serveHttps(options: HttpServerOptions): Promise<RunningHttpServer> {
  const sockets = new Set<Socket>();
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
    (request, response) => void answer(options, request, response),
  );
  server.on('secureConnection', (socket: TLSSocket) => {
    sockets.add(socket);
    socket.setNoDelay(true);
    socket.once('close', () => sockets.delete(socket));
    socket.on('error', () => socket.destroy());
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

async function answer(options: HttpServerOptions, request: AnyRequest, response: AnyResponse): Promise<void> {
  const abort = new AbortController();
  response.on('close', () => abort.abort());
  response.on('error', () => abort.abort());
  try {
    const body = await readBody(request);
    const result = await options.handle(toApiRequest(request, body, abort.signal));
    if (!abort.signal.aborted) await write(request, response, result, abort.signal);
  } catch (error) {
    if (abort.signal.aborted || response.headersSent) {
      response.destroy();
      return;
    }
    const status = isStatusError(error)
      ? error
      : new StatusError({ code: 500, reason: 'InternalError', message: 'Internal error occurred' });
    await write(
      request,
      response,
      { code: status.code, type: 'object', media: 'json', object: status.status },
      abort.signal,
    );
  }
}

function toApiRequest(request: AnyRequest, body: Uint8Array | undefined, signal: AbortSignal): ApiRequest {
  const url = request.url ?? '/';
  const mark = url.indexOf('?');
  const headers: Record<string, string | undefined> = Object.create(null);
  for (const [name, value] of Object.entries(request.headers)) {
    if (!name.startsWith(':'))
      headers[name] = Array.isArray(value) ? value.join(name === 'cookie' ? '; ' : ', ') : value;
  }
  headers.host ??= request.headers[':authority'] as string | undefined;
  const certificate = clientCertificate(request);
  return {
    method: request.method ?? 'GET',
    path: mark < 0 ? url : url.slice(0, mark),
    query: new URLSearchParams(mark < 0 ? '' : url.slice(mark + 1)),
    headers,
    ...(body ? { body } : {}),
    ...(certificate ? { clientCertificate: certificate } : {}),
    signal,
  };
}

function clientCertificate(request: AnyRequest): ApiRequest['clientCertificate'] {
  const socket = (request.stream?.session?.socket ?? request.socket) as TLSSocket;
  if (!socket.authorized) return undefined;
  const { subject, fingerprint256 } = socket.getPeerCertificate();
  if (!subject) return undefined;
  const organizations = subject.O as string | string[] | undefined;
  return {
    commonName: String(subject.CN ?? ''),
    organizations: organizations === undefined ? [] : Array.isArray(organizations) ? organizations : [organizations],
    fingerprint: fingerprint256,
  };
}

async function readBody(request: AnyRequest): Promise<Uint8Array | undefined> {
  const tooLarge = () => requestEntityTooLargeError(`Request entity too large: limit is ${maxBodyBytes}`);
  if (Number(request.headers['content-length'] ?? 0) > maxBodyBytes) {
    request.resume();
    throw tooLarge();
  }
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > maxBodyBytes) {
      request.resume();
      throw tooLarge();
    }
    chunks.push(chunk);
  }
  if (size === 0) return undefined;
  return chunks.length === 1 ? chunks[0] : Buffer.concat(chunks);
}

async function write(
  request: AnyRequest,
  response: AnyResponse,
  result: ApiResponse,
  signal: AbortSignal,
): Promise<void> {
  const headers: Record<string, string | readonly string[]> = {
    'cache-control': 'no-cache, private',
    'content-type': contentType(result),
    ...result.headers,
  };
  if (result.type === 'watch') {
    streamWatch(response, result.code, headers, result.source, result.media, signal);
    return;
  }
  if (result.type === 'stream') {
    response.writeHead(result.code, headers as Record<string, string>);
    for await (const chunk of result.stream) if (!response.write(chunk)) await drained(response, signal);
    response.end();
    return;
  }
  const body = result.type === 'text' ? result.text : encodeBody(result.object, result.media, request.url ?? '');
  const bytes = Buffer.from(body);
  headers['content-length'] = String(bytes.length);
  response.writeHead(result.code, headers as Record<string, string>);
  if (request.method === 'HEAD') response.end();
  else response.end(bytes);
}

function contentType(result: ApiResponse): string {
  if (result.type === 'text' || result.type === 'stream') return result.contentType;
  return result.media === 'yaml' ? 'application/yaml' : 'application/json';
}

function drained(response: AnyResponse, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const done = () => resolve();
    response.once('drain', done);
    signal.addEventListener('abort', done, { once: true });
  });
}
