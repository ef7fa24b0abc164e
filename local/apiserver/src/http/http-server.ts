import { GuardedServer, type TlsOptions } from '@tektite/http';
import { isStatusError, StatusError, systemClock } from '@tektite/meta';
import type { ApiRequest } from '../request/api-request.ts';
import type { ApiResponse } from '../request/api-response.ts';
import { parseRequestInfo } from '../request/request-info.ts';
import { BodyReader } from './body-reader.ts';
import { clientCertificate, remoteAddress } from './client-certificate.ts';
import type { Connection, IncomingRequest, OutgoingResponse } from './connection.ts';
import { denyForeignPage } from './foreign-page.ts';
import { KnownUsers } from './known-users.ts';
import { ResponseWriter } from './response-writer.ts';
import { SlowReaders } from './slow-readers.ts';
import { Turns } from './turns.ts';
import { answerUpgrade } from './upgrade.ts';

export interface HttpServerOptions {
  readonly host: string;
  /** 0: any free port. */
  readonly port: number;
  readonly key: string;
  readonly certificate: string;
  /** Client certificates signed by it authenticate. */
  readonly clientCa: string;
  /** Memory for bodies of requests under way, and as much for answers that clients do not read. Default 128 MiB each. */
  readonly maxInflightBytes?: number;
  /** Rejects with a StatusError when a user may not send a request, whatever its body: called before a large body is read. */
  readonly admit?: (request: ApiRequest) => Promise<void>;
  /** Answers a request; never rejects. */
  readonly handle: (request: ApiRequest) => Promise<ApiResponse>;
}

/** A server that listens. */
export interface RunningHttpServer {
  readonly port: number;
  /** New connections see this certificate, and are verified with this authority. */
  use(tls: TlsOptions): void;
  close(): Promise<void>;
}

const defaultMaxInflightBytes = 128 * 1024 ** 2;
const patienceMs = 30_000;
const largeBodyBytes = 64 * 1024;
/** A longer URL is answered with 414. The longest legitimate ones have selectors with many values. */
const maxUrlLength = 64 * 1024;

/** Serves the API over HTTPS: HTTP/2 for clients that speak it, HTTP/1.1 for the rest. */
export async function serveHttps(options: HttpServerOptions): Promise<RunningHttpServer> {
  const { host, port, certificate, key, clientCa, maxInflightBytes = defaultMaxInflightBytes } = options;
  const exchange = new Exchange(options, maxInflightBytes);
  return GuardedServer.start({
    host,
    port,
    tls: { certificate, key, clientCa },
    onRequest: (request, response) => exchange.answer(request as unknown as IncomingRequest, response),
    onStream: (stream) => exchange.answer(stream, stream),
    onUpgrade: (request, socket, head) => {
      const apiRequest = toApiRequest(request as unknown as IncomingRequest, undefined);
      return answerUpgrade(apiRequest, options.handle, request, socket, head);
    },
  });
}

/** Requests in, answers out. */
class Exchange {
  private readonly options: HttpServerOptions;
  private readonly bodies: BodyReader;
  private readonly writer: ResponseWriter;
  private readonly turns: Turns;
  private readonly users = new KnownUsers();

  constructor(options: HttpServerOptions, maxInflightBytes: number) {
    this.options = options;
    this.bodies = new BodyReader(maxInflightBytes);
    this.turns = new Turns(systemClock);
    const slow = new SlowReaders(systemClock, { maxBytes: maxInflightBytes, patienceMs });
    this.writer = new ResponseWriter(slow, this.turns);
  }

  async answer(request: IncomingRequest, response: OutgoingResponse): Promise<void> {
    const { writer } = this;
    const connection: Connection = { closed: false };
    const close = () => {
      connection.closed = true;
      connection.onClose?.();
    };
    response.on('close', close);
    response.on('error', close);
    try {
      const result = await this.handle(request);
      if (!connection.closed) await writer.write(request, response, result, connection, this.users.clientOf(request));
    } catch (error) {
      if (connection.closed || response.headersSent) {
        response.destroy();
        return;
      }
      const status = isStatusError(error)
        ? error
        : new StatusError({ code: 500, reason: 'InternalError', message: 'Internal error occurred' });
      const failure: ApiResponse = { code: status.code, type: 'object', media: 'json', object: status.status };
      await writer.write(request, response, failure, connection, this.users.clientOf(request));
    }
  }

  /** The body is held until there is an answer, not until the client has read it. */
  private async handle(request: IncomingRequest): Promise<ApiResponse> {
    const { admit, handle } = this.options;
    if ((request.url?.length ?? 0) > maxUrlLength) throw urlTooLong();
    denyForeignPage(request);
    using body = await this.bodies.read(request, async () => {
      let user = '';
      await admit?.(toApiRequest(request, undefined, (name) => (user = name)));
      return user;
    });
    const apiRequest = toApiRequest(request, body.bytes, (name) => this.users.authenticated(request, name));
    if (isLong(apiRequest)) await this.turns.wait(this.users.clientOf(request));
    return await handle(apiRequest);
  }
}

/** Decoding a large body, and going through all objects of a collection, take milliseconds: clients take turns with that. */
function isLong({ method, path, query, body }: ApiRequest): boolean {
  if (body instanceof Uint8Array) return body.length > largeBodyBytes;
  if (method !== 'GET') return false;
  const { verb } = parseRequestInfo(method, path, query);
  return verb === 'list' || verb === 'watch';
}

function urlTooLong(): StatusError {
  const message = `the URL of the request has more than ${maxUrlLength} characters`;
  return new StatusError({ code: 414, reason: 'RequestURITooLong', message });
}

function toApiRequest(
  request: IncomingRequest,
  body: Uint8Array | undefined,
  onAuthenticated?: (name: string) => void,
): ApiRequest {
  const url = request.url ?? '/';
  const mark = url.indexOf('?');
  const headers: Record<string, string | undefined> = Object.create(null);
  for (const name in request.headers) {
    if (name.startsWith(':')) continue;
    const value = request.headers[name];
    headers[name] = Array.isArray(value) ? value.join(name === 'cookie' ? '; ' : ', ') : value;
  }
  headers.host ??= request.headers[':authority'] as string | undefined;
  const { certificate, bad } = clientCertificate(request);
  const address = remoteAddress(request);
  return {
    method: request.method ?? 'GET',
    path: mark < 0 ? url : url.slice(0, mark),
    query: new URLSearchParams(mark < 0 ? '' : url.slice(mark + 1)),
    headers,
    ...(body ? { body } : {}),
    ...(address ? { remoteAddress: address } : {}),
    ...(onAuthenticated ? { onAuthenticated } : {}),
    ...(certificate ? { clientCertificate: certificate } : {}),
    ...(bad ? { badClientCertificate: true } : {}),
  };
}
