import { webFetch, type WebTrust } from './web-fetch.ts';

export interface FetchOptions extends WebTrust {
  readonly signal: AbortSignal;
  readonly headers?: Readonly<Record<string, string>>;
  readonly method?: string;
  readonly body?: Uint8Array;
}

/**
 * Asks a web server, through a proxy if the environment names one. Redirects are followed; credentials, under whatever name, do not
 * go along to another host. Where there is no answer, the error says so in the words of Go's client:
 * `Get "https://host/path": dial tcp: lookup host: no such host`.
 */
export async function fetchUrl(url: string, options: FetchOptions): Promise<Response> {
  const { signal, method = 'GET' } = options;
  try {
    return await follow(url, { ...options, method });
  } catch (error) {
    if (signal.aborted) throw signal.reason;
    throw new Error(`${goMethod(method)} "${withoutPassword(url)}": ${reasonOf(error)}`, { cause: error });
  }
}

const maxRedirects = 10;

/** Those that say nothing of who asks. The standard's own rule knows `Authorization` alone, and not what servers call it otherwise. */
const harmless = new Set(['accept', 'content-type', 'range', 'user-agent']);

async function follow(
  url: string,
  { method, signal, headers = {}, body, authorities }: FetchOptions,
): Promise<Response> {
  let [at, sent] = [new URL(url), headers];
  for (let redirects = 0; ; redirects++) {
    const request = { method: method as string, signal, headers: sent, redirect: 'manual' } as const;
    const response = await webFetch(
      at.href,
      body === undefined ? request : { ...request, body: body as Uint8Array<ArrayBuffer> },
      { authorities },
    );
    const target = response.headers.get('location');
    if (![301, 302, 303, 307, 308].includes(response.status) || target === null) return response;
    await response.body?.cancel();
    if (redirects === maxRedirects) throw new Error(`stopped after ${maxRedirects} redirects`);
    const next = new URL(target, at);
    if (next.protocol !== 'http:' && next.protocol !== 'https:')
      throw new Error(`unsupported protocol scheme "${next.protocol.slice(0, -1)}"`);
    if (next.origin !== at.origin)
      sent = Object.fromEntries(Object.entries(sent).filter(([name]) => harmless.has(name.toLowerCase())));
    at = next;
  }
}

const goMethod = (method: string) => method.slice(0, 1) + method.slice(1).toLowerCase();

/** URLs end up in messages and logs. */
function withoutPassword(url: string): string {
  return url.replace(/^([a-z]+:\/\/[^/@:]*):[^/@]*@/i, '$1:***@');
}

interface NetworkError extends Error {
  readonly code?: string;
  readonly hostname?: string;
  readonly address?: string;
  readonly port?: number;
}

function reasonOf(error: unknown): string {
  const cause = ((error as Error).cause ?? error) as NetworkError;
  const first = cause instanceof AggregateError ? ((cause.errors[0] ?? cause) as NetworkError) : cause;
  const address = first.address?.includes(':') ? `[${first.address}]` : first.address;
  switch (first.code) {
    case 'ENOTFOUND':
      return `dial tcp: lookup ${first.hostname}: no such host`;
    case 'EAI_AGAIN':
      return `dial tcp: lookup ${first.hostname}: server misbehaving`;
    case 'ECONNREFUSED':
      return `dial tcp ${address}:${first.port}: connect: connection refused`;
    default:
      return first.message;
  }
}

/** The body of an answer, if it is not too large. A server that sends for ever is cut off. */
export async function readBody(response: Response, maxBytes: number): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  if (response.body)
    for await (const chunk of response.body as AsyncIterable<Uint8Array>) {
      size += chunk.length;
      if (size > maxBytes) throw new Error(`response body exceeds maximum allowed size of ${maxBytes} bytes`);
      chunks.push(chunk);
    }
  return Buffer.concat(chunks);
}
