import { GuardedServer, type ServerRequest, type ServerResponse, type TlsOptions } from '@tektite/http';
import { type Clock, systemClock } from '@tektite/meta';
import type { EventSink } from './event-sink.ts';
import { headersOf } from './send-request.ts';
import type { SinkMetrics } from './sink-metrics.ts';

/** Larger events are denied. GitHub sends at most 25 MB. */
const defaultMaxBodyBytes = 25 * 1024 * 1024;
/** Events in progress; more are denied, so that senders try again later. */
const maxPending = 5000;
/** Upstream's time to receive an event. */
const readTimeoutMs = 5000;

export interface SinkServerOptions {
  readonly sink: EventSink;
  readonly metrics: SinkMetrics;
  readonly host: string;
  readonly port: number;
  readonly tls?: TlsOptions;
  /** The only listener of this server. Without it, the path or the host of a request names one. */
  readonly listener?: { readonly namespace: string; readonly name: string };
  readonly maxBodyBytes?: number;
  readonly clock?: Clock;
  readonly onError?: (error: unknown) => void;
}

interface Target {
  readonly namespace: string;
  readonly name: string;
  readonly url: string;
}

/**
 * Serves listeners over HTTP: all of them, by `/NAMESPACE/NAME` or by the name of their Service in the host header; or one of them
 * at every path.
 */
export async function startSinkServer(options: SinkServerOptions): Promise<GuardedServer> {
  const { host, port, tls, clock = systemClock, onError } = options;
  return GuardedServer.start({
    host,
    port,
    clock,
    ...(tls ? { tls } : {}),
    ...(onError ? { onError } : {}),
    onRequest: (request, response) => answer(request, response, options, clock),
  });
}

async function answer(
  request: ServerRequest,
  response: ServerResponse,
  { sink, metrics, listener, maxBodyBytes = defaultMaxBodyBytes }: SinkServerOptions,
  clock: Clock,
): Promise<void> {
  const path = request.url.split('?')[0];
  if (path === '/live') return send(response, 200, {}, 'ok');
  if (!listener && isOfWebPage(request)) return send(response, 403, {}, 'events of web pages are denied\n');
  const target = listener ? { ...listener, url: request.url } : targetOf(request);
  if (!target) return send(response, 404, {}, 'no EventListener: send events to /NAMESPACE/NAME\n');
  if (sink.pending >= maxPending) return send(response, 503, { 'retry-after': '1' }, 'too many events in progress\n');
  const started = clock.monotonic();
  const body = await readBody(request, maxBodyBytes, clock);
  // The rest is read and dropped: a client that still sends would not see the answer otherwise.
  if (body === 413) return send(response, 413, {}, 'the event is too large\n');
  if (typeof body === 'number') return send(response, body, {}, 'EventListener Timeout!\n');
  const {
    code,
    headers,
    body: text,
  } = sink.handle({
    ...target,
    body: body.toString(),
    headers: headersOf(distinctHeaders(request)),
  });
  send(response, code, headers, text);
  metrics.answered((clock.monotonic() - started) / 1000);
}

function send(response: ServerResponse, code: number, headers: Readonly<Record<string, string>>, body: string): void {
  if (response.destroyed || response.writableEnded) return;
  response.writeHead(code, { ...headers, 'content-length': Buffer.byteLength(body) });
  response.end(body);
}

/**
 * Whether a browser sent the request for a page. The port of all listeners is one of this machine, which any page can send a POST to;
 * senders of events are no browsers.
 */
function isOfWebPage({ headers }: ServerRequest): boolean {
  return headers.origin !== undefined || headers['sec-fetch-site'] !== undefined;
}

/** `el-NAME.NAMESPACE.svc` as the host, or `/NAMESPACE/NAME` at the start of the path. */
function targetOf(request: ServerRequest): Target | undefined {
  const { url } = request;
  const host = String(request.headers[':authority'] ?? request.headers.host ?? '');
  const [, byHost, hostNamespace] = /^el-([^.:]+)\.([^.:]+)\.svc(?:[.:]|$)/.exec(host) ?? [];
  if (byHost !== undefined && hostNamespace !== undefined) return { name: byHost, namespace: hostNamespace, url };
  const [, namespace, name, rest = ''] = /^\/([a-z0-9-]+)\/([a-z0-9.-]+)((?:[/?].*)?)$/.exec(url) ?? [];
  if (namespace === undefined || name === undefined) return undefined;
  return { namespace, name, url: rest.startsWith('/') ? rest : `/${rest}` };
}

/** All values of each header. HTTP/2 has no `host`, and its own fields are no headers. */
function distinctHeaders(request: ServerRequest): Record<string, string[]> {
  const distinct: Record<string, string[]> = {};
  const { rawHeaders } = request;
  for (let at = 0; at + 1 < rawHeaders.length; at += 2) {
    const name = (rawHeaders[at] as string).toLowerCase();
    if (name.startsWith(':') || name === 'host') continue;
    (distinct[name] ??= []).push(rawHeaders[at + 1] as string);
  }
  return distinct;
}

/** The body, or the code of the answer when there is none: too large, too slow. */
function readBody(request: ServerRequest, maxBytes: number, clock: Clock): Promise<Buffer | number> {
  if (Number(request.headers['content-length'] ?? 0) > maxBytes) return Promise.resolve(413);
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let size = 0;
    const timer = clock.setTimer(readTimeoutMs, () => done(503));
    const done = (result: Buffer | number) => {
      timer[Symbol.dispose]();
      resolve(result);
    };
    request.on('data', (chunk: Buffer) => {
      size += chunk.length;
      if (size > maxBytes) done(413);
      else chunks.push(chunk);
    });
    request.once('end', () => done(Buffer.concat(chunks)));
    request.once('error', (error) => {
      timer[Symbol.dispose]();
      reject(error);
    });
    request.once('close', () => done(503));
  });
}
