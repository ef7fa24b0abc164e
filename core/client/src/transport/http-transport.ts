import type { Dispatcher } from 'undici';
import { type Clock, systemClock, parseJson, stringifyJson } from '@tektite/meta';
import { ClientError } from '../client-error.ts';
import type { ClientConfig } from '../config/client-config.ts';
import type { CredentialMaterial } from '../config/credentials.ts';
import { connectionError } from './connection-error.ts';
import { Connections, type ConnectionUse } from './connections.ts';
import { exchange, type WholeAnswer } from './exchange.ts';
import { EventDecoder } from './event-decoder.ts';
import { impersonationHeaders } from './impersonation-headers.ts';
import { RequestScope } from './request-scope.ts';
import { statusErrorOf } from './response-status.ts';
import type {
  ResponseHead,
  Transport,
  TransportRequest,
  TransportResponse,
  TransportStream,
  WireEvent,
} from './transport.ts';
import { parseWarnings } from './warning-header.ts';

export interface HttpTransportOptions {
  readonly clock?: Clock;
  /** For requests without a timeout. The default is a little longer than the server's own limit. */
  readonly timeoutMs?: number;
  /**
   * A watch that sends nothing for so long is given up: the other side may be gone without a word. Servers send a bookmark
   * about every minute. Default 150 seconds.
   */
  readonly watchIdleTimeoutMs?: number;
  readonly userAgent?: string;
}

/**
 * Talks to a server over HTTP or HTTPS, on connections that are kept alive. A 401 makes it refresh its credentials and
 * repeat the request once; apart from that it repeats nothing.
 *
 * @example const transport = httpTransport(await loadConfig({ context: 'staging' }));
 */
export function httpTransport(config: ClientConfig, options: HttpTransportOptions = {}): Transport {
  return new HttpTransport(config, options);
}

type Answer = Dispatcher.ResponseData;
type AnswerHead = Pick<Answer, 'statusCode' | 'headers'> & Partial<Pick<Answer, 'body'>>;

/** How a request is sent: for an answer that is wanted whole, or one that is read as it comes. */
type Dispatch<T> = (dispatcher: Dispatcher, options: Dispatcher.DispatchOptions, signal: AbortSignal) => Promise<T>;

const openAnswer: Dispatch<Answer> = (dispatcher, options, signal) => dispatcher.request({ ...options, signal });

class HttpTransport implements Transport {
  private readonly config: ClientConfig;
  private readonly options: HttpTransportOptions;
  private readonly clock: Clock;
  private readonly origin: string;
  /** Where the API begins, for servers behind a gateway. */
  private readonly prefix: string;
  private readonly connections: Connections;
  private readonly fixedHeaders: Readonly<Record<string, string | string[]>>;
  private readonly scopes = new Set<RequestScope>();
  private closed = false;

  constructor(config: ClientConfig, options: HttpTransportOptions) {
    this.config = config;
    this.options = options;
    this.clock = options.clock ?? systemClock;
    const url = serverUrl(config);
    this.origin = url.origin;
    this.prefix = url.pathname.replace(/\/+$/, '');
    this.connections = new Connections(config, url.origin);
    this.fixedHeaders = {
      'user-agent': options.userAgent ?? `tektite (${process.platform}/${process.arch})`,
      ...impersonationHeaders(config.impersonate),
    };
  }

  async request(request: TransportRequest): Promise<TransportResponse> {
    const scope = this.open(request);
    this.limitTime(request, scope);
    try {
      const use = request.method === 'GET' || request.method === 'HEAD' ? 'read' : 'write';
      return this.finish(await this.send(use, request, scope, exchange));
    } catch (error) {
      throw this.explain(scope, error);
    } finally {
      this.leave(scope);
    }
  }

  async watch(request: TransportRequest): Promise<TransportStream<WireEvent>> {
    const idleTimeoutMs = request.idleTimeoutMs ?? this.options.watchIdleTimeoutMs ?? 150_000;
    return this.openStream({ ...request, idleTimeoutMs }, () => {
      const decoder = new EventDecoder();
      return (chunk) => decoder.decode(chunk);
    });
  }

  stream(request: TransportRequest): Promise<TransportStream<Uint8Array>> {
    return this.openStream({ accept: '*/*', ...request }, () => (chunk) => [chunk]);
  }

  async close(): Promise<void> {
    this.closed = true;
    for (const scope of this.scopes) scope.end(closedError());
    this.scopes.clear();
    await this.connections.close();
  }

  private async openStream<T>(
    request: TransportRequest,
    decode: () => (chunk: Uint8Array) => Iterable<T>,
  ): Promise<TransportStream<T>> {
    const scope = this.open(request);
    // A server that does not even begin to answer is not just silent.
    this.limitTime(request, scope);
    try {
      const answer = await this.send('stream', request, scope, openAnswer);
      if (answer.statusCode >= 300) throw statusErrorOf(this.finish({ ...answer, text: await answer.body.text() }));
      scope.unlimitTime();
      scope.limitSilence(request.idleTimeoutMs ?? 0, () => this.stalled(request));
      return { ...headOf(answer), ...this.iterate(answer, scope, decode()) };
    } catch (error) {
      this.leave(scope);
      throw this.explain(scope, error);
    }
  }

  private iterate<T>(
    answer: Answer,
    scope: RequestScope,
    decode: (chunk: Uint8Array) => Iterable<T>,
  ): Pick<TransportStream<T>, 'close' | typeof Symbol.asyncIterator> {
    let left = false;
    const close = () => {
      left = true;
      scope.end(new Error('left'));
      this.leave(scope);
    };
    // A broken stream without a reader must not crash the process.
    answer.body.on('error', () => {});
    const items = async function* (this: HttpTransport): AsyncGenerator<T> {
      try {
        for await (const chunk of answer.body as AsyncIterable<Uint8Array>) {
          scope.touch();
          for (const item of decode(chunk)) {
            if (left) return;
            yield item;
          }
        }
      } catch (error) {
        if (left) return;
        throw this.explain(scope, error);
      } finally {
        close();
      }
    };
    const iterator = items.call(this);
    return {
      close,
      [Symbol.asyncIterator]: () => ({
        next: () => iterator.next(),
        return: async () => {
          close();
          return { done: true, value: undefined };
        },
      }),
    };
  }

  /** Sends the request; once more with fresh credentials when the server does not know us any more. */
  private async send<T extends AnswerHead>(
    use: ConnectionUse,
    request: TransportRequest,
    scope: RequestScope,
    dispatch: Dispatch<T>,
  ): Promise<T> {
    const { credentials } = this.config;
    for (let attempt = 0; ; attempt++) {
      const material = (await credentials?.current(scope.signal)) ?? {};
      const dispatcher = await this.connections.dispatcherFor(use, material.clientCertificate);
      scope.signal.throwIfAborted();
      const answer = await dispatch(dispatcher, this.optionsOf(request, material), scope.signal);
      if (answer.statusCode !== 401 || attempt > 0 || !credentials?.refused(material)) return answer;
      await answer.body?.dump();
    }
  }

  private optionsOf(request: TransportRequest, material: CredentialMaterial): Dispatcher.DispatchOptions {
    const query = request.query?.toString();
    const body = encodeBody(request.body);
    return {
      origin: this.origin,
      method: request.method,
      path: `${this.prefix}${request.path}${query ? `?${query}` : ''}`,
      headers: {
        ...this.fixedHeaders,
        accept: request.accept ?? 'application/json',
        ...(body === null ? {} : { 'content-type': request.contentType ?? 'application/json' }),
        ...(material.authorization === undefined ? {} : { authorization: material.authorization }),
        ...request.headers,
      },
      body,
    };
  }

  private finish(answer: WholeAnswer): TransportResponse {
    return { ...headOf(answer), body: this.parse(answer.text, String(answer.headers['content-type'] ?? '')) };
  }

  private parse(text: string, contentType: string): unknown {
    if (text === '' || !/^application\/(?:[\w.+-]+\+)?json\b/i.test(contentType)) return text;
    try {
      return parseJson(text);
    } catch (cause) {
      throw new ClientError(
        'INVALID_RESPONSE',
        `${this.config.server} said it sends JSON and did not: ${text.slice(0, 100)}; is this the address of a Kubernetes API server?`,
        { cause },
      );
    }
  }

  private open(request: TransportRequest): RequestScope {
    if (this.closed) throw closedError();
    request.signal?.throwIfAborted();
    const scope = new RequestScope(this.clock, request.signal);
    this.scopes.add(scope);
    return scope;
  }

  private leave(scope: RequestScope): void {
    scope[Symbol.dispose]();
    this.scopes.delete(scope);
  }

  private explain(scope: RequestScope, error: unknown): Error {
    return scope.explain(error, (cause) => connectionError(cause, this.config.server));
  }

  private limitTime({ method, path, timeoutMs }: TransportRequest, scope: RequestScope): void {
    const limit = timeoutMs ?? this.options.timeoutMs ?? 65_000;
    scope.limitTime(
      limit,
      () =>
        new ClientError(
          'TIMEOUT',
          `${method} ${path} at ${this.config.server} took longer than ${limit / 1000} s; the server or the network is slow`,
        ),
    );
  }

  private stalled({ method, path, idleTimeoutMs = 0 }: TransportRequest): ClientError {
    return new ClientError(
      'CONNECTION_STALLED',
      `${method} ${path} at ${this.config.server} sent nothing for ${idleTimeoutMs / 1000} s; the connection is probably dead`,
    );
  }
}

function closedError(): ClientError {
  return new ClientError('CLOSED', 'the client was closed');
}

function serverUrl({ server }: ClientConfig): URL {
  // kubectl takes an address without a scheme for plain HTTP.
  const text = /^[a-z][a-z0-9+.-]*:\/\//i.test(server) ? server : `http://${server}`;
  try {
    return new URL(text);
  } catch (cause) {
    throw new ClientError('INVALID_KUBECONFIG', `the server address ${JSON.stringify(server)} is no URL`, { cause });
  }
}

function encodeBody(body: TransportRequest['body']): string | Uint8Array | null {
  if (body === undefined) return null;
  return typeof body === 'string' || body instanceof Uint8Array ? body : stringifyJson(body);
}

function headOf(answer: AnswerHead): ResponseHead {
  const headers: Record<string, string> = Object.create(null);
  for (const [name, value] of Object.entries(answer.headers))
    if (value !== undefined) headers[name] = Array.isArray(value) ? value.join(', ') : value;
  const { warning } = answer.headers;
  const warnings = warning === undefined ? [] : parseWarnings(Array.isArray(warning) ? warning : [warning]);
  return { status: answer.statusCode, headers, warnings };
}
