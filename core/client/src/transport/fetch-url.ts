import { webFetch } from './web-fetch.ts';

export interface FetchOptions {
  readonly signal: AbortSignal;
  readonly headers?: Readonly<Record<string, string>>;
  readonly method?: string;
}

/**
 * Asks a web server, through a proxy if the environment names one. Redirects are followed; credentials do not go along to another host. Where there is no answer, the error
 * says so in the words of Go's client: `Get "https://host/path": dial tcp: lookup host: no such host`.
 */
export async function fetchUrl(url: string, { signal, headers = {}, method = 'GET' }: FetchOptions): Promise<Response> {
  try {
    return await webFetch(url, { method, signal, headers, redirect: 'follow' });
  } catch (error) {
    if (signal.aborted) throw signal.reason;
    throw new Error(`${goMethod(method)} "${withoutPassword(url)}": ${reasonOf(error)}`, { cause: error });
  }
}

const goMethod = (method: string) => method.slice(0, 1) + method.slice(1).toLowerCase();

/** URLs end up in messages that everybody can read. */
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
export async function readBody(response: Response, most: number): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  if (response.body)
    for await (const chunk of response.body as unknown as AsyncIterable<Uint8Array>) {
      size += chunk.length;
      if (size > most) throw new Error(`response body exceeds maximum allowed size of ${most} bytes`);
      chunks.push(chunk);
    }
  return Buffer.concat(chunks);
}
