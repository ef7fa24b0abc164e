import { lookup as lookUp } from 'node:dns';
import { type ClientRequest, type IncomingMessage, request as httpRequest, type RequestOptions } from 'node:http';
import { request as httpsRequest } from 'node:https';
import type { LookupFunction, Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import type { Clock } from '@tektite/meta';
import { RenderFailure } from '../render-failure.ts';
import { type Environment, proxyOf } from './proxy-of.ts';
import { isRefusedAddress } from './refused-address.ts';
import { maxBytes } from './source-text.ts';

export interface FetchRules {
  /** Take `http` URLs, too. Default no. */
  readonly allowInsecure?: boolean;
  /** Go to loopback, link-local and metadata addresses, too. Default no. */
  readonly allowPrivate?: boolean;
  readonly environment?: Environment;
  /** Further certificates to trust, in PEM. */
  readonly certificateAuthority?: string;
}

export interface Fetched {
  /** Undefined: it is what it was when it had this ETag. */
  readonly bytes: Uint8Array | undefined;
  readonly etag?: string;
}

const timeoutMs = 30_000;
const maxRedirects = 5;

/**
 * Fetches a URL. No credentials are sent, and the resolved address is checked when the connection is made, so that a
 * name cannot resolve to another address than the checked one. Throws a RenderFailure.
 */
export async function fetchUrl(
  address: string,
  rules: FetchRules,
  call: { readonly clock: Clock; readonly etag?: string; readonly signal?: AbortSignal },
): Promise<Fetched> {
  const late = new AbortController();
  const timer = call.clock.setTimer(timeoutMs, () => late.abort(new Error(`no answer within ${timeoutMs / 1000} s`)));
  const signal = call.signal ? AbortSignal.any([late.signal, call.signal]) : late.signal;
  try {
    return await follow(new URL(address), rules, call.etag, signal);
  } catch (error) {
    call.signal?.throwIfAborted();
    if (error instanceof RenderFailure) throw error;
    const cause = (late.signal.aborted ? late.signal.reason : error) as NodeJS.ErrnoException;
    throw failure(address, cause.message || cause.code || 'no connection', cause);
  } finally {
    timer[Symbol.dispose]();
  }
}

async function follow(first: URL, rules: FetchRules, etag: string | undefined, signal: AbortSignal): Promise<Fetched> {
  let url = first;
  for (let hops = 0; ; hops++) {
    check(url, rules);
    const answer = await ask(url, rules, etag, signal);
    const { statusCode = 0, headers } = answer;
    if (statusCode === 304 && etag) {
      answer.resume();
      return { bytes: undefined, etag };
    }
    if (statusCode >= 300 && statusCode < 400) {
      answer.resume();
      if (hops === maxRedirects) throw failure(first.href, `more than ${maxRedirects} redirects`);
      url = redirected(url, headers.location);
      continue;
    }
    if (statusCode < 200 || statusCode >= 300) {
      answer.resume();
      throw failure(url.href, String(statusCode));
    }
    const encoding = headers['content-encoding'] ?? 'identity';
    if (encoding !== 'identity') throw failure(url.href, `it is packed with ${encoding}`);
    const bytes = await collect(answer, url);
    return { bytes, ...(headers.etag ? { etag: headers.etag } : {}) };
  }
}

function redirected(from: URL, location: string | undefined): URL {
  const to = location && URL.canParse(location, from.href) ? new URL(location, from) : undefined;
  if (!to) throw failure(from.href, 'it redirects to nowhere');
  if (from.protocol === 'https:' && to.protocol !== 'https:')
    throw failure(from.href, `it redirects to ${to.origin}, which is not secure`);
  return to;
}

function check(url: URL, { allowInsecure, allowPrivate }: FetchRules): void {
  if (url.protocol !== 'https:' && url.protocol !== 'http:') throw invalid(`${url.href}: only https is read`);
  if (url.protocol === 'http:' && !allowInsecure)
    throw invalid(`${url.href}: only https is read, unless the operator runs with --allow-insecure-manifests`);
  if (!allowPrivate && (isRefusedAddress(url.hostname) || /(^|\.)localhost\.?$/i.test(url.hostname)))
    throw invalid(`${url.href}: ${privateHint}`);
}

const privateHint =
  'loopback, link-local and metadata addresses are not read, unless the operator runs with --allow-private-manifests';

async function ask(
  url: URL,
  rules: FetchRules,
  etag: string | undefined,
  signal: AbortSignal,
): Promise<IncomingMessage> {
  const headers = {
    host: url.host,
    accept: '*/*',
    'accept-encoding': 'identity',
    'user-agent': 'connectors-operator',
    ...(etag ? { 'if-none-match': etag } : {}),
  };
  const options: RequestOptions = { method: 'GET', headers, signal, agent: false };
  const proxy = proxyOf(url, rules.environment ?? {});
  const ca = rules.certificateAuthority ? { ca: rules.certificateAuthority } : {};
  if (!proxy) {
    const lookup = rules.allowPrivate ? {} : { lookup: checkedLookup };
    const send = url.protocol === 'https:' ? httpsRequest : httpRequest;
    return answered(send(url, { ...options, ...ca, ...lookup }));
  }
  if (url.protocol === 'http:')
    return answered(httpRequest({ ...options, host: proxy.hostname, port: proxy.port || 80, path: url.href }));
  const socket = await tunnel(proxy, `${url.hostname}:${url.port || 443}`, signal);
  const createConnection = () => connectTls({ socket, servername: url.hostname, ...ca });
  return answered(httpsRequest(url, { ...options, createConnection }));
}

/** Resolves names with the system resolver, and rejects forbidden addresses. */
const checkedLookup: LookupFunction = (hostname, options, callback) => {
  lookUp(hostname, { ...options, all: true }, (error, addresses) => {
    if (error) return callback(error, '', 0);
    const bad = addresses.find(({ address }) => isRefusedAddress(address));
    if (bad) return callback(invalid(`${hostname} is ${bad.address}: ${privateHint}`), '', 0);
    const [first] = addresses;
    if (options.all) return callback(null, addresses, 0);
    return callback(null, first?.address ?? '', first?.family ?? 0);
  });
};

function answered(request: ClientRequest): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    request.once('response', resolve).once('error', reject).end();
  });
}

function tunnel(proxy: URL, target: string, signal: AbortSignal): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const user = decodeURIComponent(`${proxy.username}:${proxy.password}`);
    const authorization =
      proxy.username === '' ? {} : { 'proxy-authorization': `Basic ${Buffer.from(user).toString('base64')}` };
    const headers = { host: target, ...authorization };
    const port = proxy.port || 80;
    httpRequest({ method: 'CONNECT', host: proxy.hostname, port, path: target, headers, signal, agent: false })
      .once('connect', ({ statusCode }: IncomingMessage, socket: Socket) => {
        if (statusCode === 200) return resolve(socket);
        socket.destroy();
        return reject(new Error(`the proxy answers ${statusCode}`));
      })
      .once('error', reject)
      .end();
  });
}

async function collect(answer: IncomingMessage, url: URL): Promise<Uint8Array> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of answer as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > maxBytes) {
      answer.destroy();
      throw failure(url.href, `it is larger than ${maxBytes} bytes`);
    }
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

function failure(url: string, message: string, cause?: unknown): RenderFailure {
  return new RenderFailure('FetchFailed', `GET ${shown(url)}: ${message}`, { cause });
}

/** Queries may have tokens in them. */
function shown(url: string): string {
  return url.replace(/\?.*$/s, '?…');
}

function invalid(message: string): RenderFailure {
  return new RenderFailure('InvalidAdditionalManifests', message);
}
