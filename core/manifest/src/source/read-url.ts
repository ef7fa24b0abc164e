import { createHash } from 'node:crypto';
import { gunzipSync } from 'node:zlib';
import { type Clock, isTransientStatus, sleep } from '@tektite/meta';
import { isManifestError, ManifestError } from '../manifest-error.ts';
import { sourceError } from './read-path.ts';

export interface UrlOptions {
  /** The expected hash of the content, in hex. */
  readonly sha256?: string;
  /** For the whole of an attempt. Default 30 seconds. */
  readonly timeoutMs?: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** Default 16 MiB, also of what it unpacks to. */
  readonly maxBytes?: number;
  readonly signal?: AbortSignal;
  readonly clock: Clock;
  /** Earlier responses, by URL; revalidated with their ETag. */
  readonly cache?: UrlCache;
}

/** Contents by URL, for who reads the same ones again and again. */
export type UrlCache = Map<string, { readonly etag: string; readonly text: string }>;

const maxRedirects = 5;
const attempts = 4;
const firstPauseMs = 250;

/**
 * The text behind a URL. Only http and https; a secure URL does not lead to an insecure one, and headers are not sent to another
 * host. Failures of the network and of the server are tried again; credentials of the URL are in no message.
 */
export async function readUrl(address: string, options: UrlOptions): Promise<string> {
  const url = parseUrl(address);
  const shown = shownUrl(url);
  for (let attempt = 1; ; attempt++) {
    try {
      const text = await fetchText(url, options);
      checkHash(shown, text, options.sha256);
      return text;
    } catch (error) {
      options.signal?.throwIfAborted();
      if (!isManifestError(error, 'UNREACHABLE')) throw error;
      if (attempt === attempts) throw sourceError(shown, `${error.message} (${attempts} attempts)`, error.cause);
      await sleep(options.clock, firstPauseMs * 2 ** (attempt - 1), options.signal);
    }
  }
}

/** The URL without what is secret in it. */
export function shownUrl(url: URL): string {
  const shown = new URL(url);
  shown.username = '';
  shown.password = '';
  shown.search = shown.search === '' ? '' : '?…';
  return decodeURI(shown.href);
}

function parseUrl(address: string): URL {
  let url: URL;
  try {
    url = new URL(address);
  } catch (error) {
    throw sourceError(address, 'this is no URL', error);
  }
  if (url.protocol !== 'http:' && url.protocol !== 'https:')
    throw sourceError(shownUrl(url), `only http and https are read, not ${url.protocol.slice(0, -1)}`);
  return url;
}

async function fetchText(first: URL, options: UrlOptions): Promise<string> {
  const { request } = await import('./http-request.ts');
  const { timeoutMs = 30_000, maxBytes = 16 * 1024 * 1024, cache } = options;
  const signals = [AbortSignal.timeout(timeoutMs), ...(options.signal ? [options.signal] : [])];
  const signal = AbortSignal.any(signals);
  const known = cache?.get(first.href);
  let url = first;
  for (let hops = 0; ; hops++) {
    const shown = shownUrl(url);
    const answer = await onTheWay(() =>
      request(withoutUser(url), {
        signal,
        headers: {
          'accept-encoding': 'gzip',
          ...(url.username ? { authorization: basic(url) } : {}),
          ...(known ? { 'if-none-match': known.etag } : {}),
          ...(url.origin === first.origin ? options.headers : {}),
        },
      }),
    );
    const { statusCode, headers, body } = answer;
    if (statusCode >= 300 && statusCode < 400 && statusCode !== 304) {
      await body.dump();
      if (hops === maxRedirects) throw sourceError(shownUrl(first), `it redirects more than ${maxRedirects} times`);
      url = redirect(url, single(headers.location), shown);
      continue;
    }
    if (statusCode === 304 && known) {
      await body.dump();
      return known.text;
    }
    if (isTransientStatus(statusCode)) {
      await body.dump();
      throw new ManifestError('UNREACHABLE', `the server answers ${statusCode}`);
    }
    if (statusCode < 200 || statusCode >= 300) {
      await body.dump();
      throw sourceError(shown, `the server answers ${statusCode}`);
    }
    const packed = await onTheWay(() => collect(body, maxBytes, shown));
    const text = unpack(packed, single(headers['content-encoding']), maxBytes, shown).toString('utf8');
    const etag = single(headers.etag);
    if (etag) cache?.set(first.href, { etag, text });
    return text;
  }
}

function redirect(from: URL, location: string | undefined, shown: string): URL {
  if (!location) throw sourceError(shown, 'it redirects without saying where to');
  const to = parseUrl(new URL(location, from).href);
  if (from.protocol === 'https:' && to.protocol === 'http:')
    throw sourceError(shown, `it redirects to ${shownUrl(to)}, which is not secure`);
  return to;
}

async function collect(body: AsyncIterable<Uint8Array>, maxBytes: number, shown: string): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of body) {
    size += chunk.length;
    if (size > maxBytes) throw sourceError(shown, `it is larger than ${maxBytes} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

/** A few bytes may unpack to gigabytes: no more is unpacked than is allowed. */
function unpack(bytes: Buffer, encoding: string | undefined, maxOutputLength: number, shown: string): Buffer {
  if (encoding === undefined || encoding === 'identity') return bytes;
  if (encoding !== 'gzip' && encoding !== 'x-gzip') throw sourceError(shown, `it is packed with ${encoding}`);
  try {
    return gunzipSync(bytes, { maxOutputLength });
  } catch (error) {
    const tooLarge = (error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE';
    throw sourceError(shown, tooLarge ? `it unpacks to more than ${maxOutputLength} bytes` : 'it is no gzip', error);
  }
}

/** Connections that fail may work the next time; what we ourselves object to will not. */
async function onTheWay<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (isManifestError(error)) throw error;
    const { message, code, name } = error as NodeJS.ErrnoException;
    const reason = name === 'TimeoutError' ? 'it takes too long' : message || code || 'no connection';
    throw new ManifestError('UNREACHABLE', reason, { cause: error });
  }
}

function checkHash(shown: string, text: string, wanted: string | undefined): void {
  if (wanted === undefined) return;
  const found = createHash('sha256').update(text).digest('hex');
  if (found !== wanted.toLowerCase())
    throw sourceError(shown, `its sha256 is ${found}, not ${wanted}: it is not what was expected`);
}

function withoutUser(url: URL): URL {
  const plain = new URL(url);
  plain.username = '';
  plain.password = '';
  return plain;
}

function basic({ username, password }: URL): string {
  const user = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
  return `Basic ${Buffer.from(user).toString('base64')}`;
}

function single(header: string | string[] | undefined): string | undefined {
  return Array.isArray(header) ? header[0] : header;
}
