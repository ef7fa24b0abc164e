import { request as httpRequest, STATUS_CODES } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { isIP } from 'node:net';
import type { Headers } from '../template/resolve-params.ts';
import { canonicalHeader } from '../http/canonical-header.ts';

export interface OutgoingRequest {
  readonly url: string;
  readonly headers: Headers;
  readonly body: string;
  readonly timeoutMs: number;
  /** PEM. Without it, the authorities that Node knows are trusted. */
  readonly ca?: string;
  readonly signal?: AbortSignal;
}

export interface IncomingResponse {
  /** `200 OK`. */
  readonly status: string;
  readonly code: number;
  readonly headers: Headers;
  readonly body: string;
}

/** The address behind a host, where the name alone cannot be resolved: Services of the cluster. */
export type ResolveHost = (
  host: string,
  port: number,
) => Promise<{ readonly host: string; readonly port: number } | undefined>;

/** An answer that is longer is cut off. */
const maxAnswerBytes = 16 * 1024 * 1024;
const hopByHop = new Set(['connection', 'content-length', 'host', 'keep-alive', 'te', 'transfer-encoding', 'upgrade']);

/** Sends a POST to an interceptor. */
export async function sendRequest(request: OutgoingRequest, resolve: ResolveHost): Promise<IncomingResponse> {
  const url = new URL(request.url);
  if (url.protocol !== 'http:' && url.protocol !== 'https:')
    throw new Error(`Post "${request.url}": unsupported protocol scheme "${url.protocol.slice(0, -1)}"`);
  const port = Number(url.port) || (url.protocol === 'https:' ? 443 : 80);
  const target = (await resolve(url.hostname, port)) ?? { host: url.hostname, port };
  try {
    return await exchange(url, target, request);
  } catch (error) {
    throw new Error(`Post "${request.url}": ${(error as Error).message}`, { cause: error });
  }
}

function exchange(
  url: URL,
  { host, port }: { readonly host: string; readonly port: number },
  { headers, body, timeoutMs, ca, signal }: OutgoingRequest,
): Promise<IncomingResponse> {
  const isTls = url.protocol === 'https:';
  const send = isTls ? httpsRequest : httpRequest;
  const passed = Object.entries(headers).filter(([name]) => !hopByHop.has(name.toLowerCase()));
  const ending = AbortSignal.any([AbortSignal.timeout(timeoutMs), ...(signal ? [signal] : [])]);
  return new Promise((resolve, reject) => {
    const outgoing = send({
      method: 'POST',
      host,
      port,
      path: url.pathname + url.search,
      headers: { ...Object.fromEntries(passed), host: url.host, 'content-length': Buffer.byteLength(body) },
      signal: ending,
      ...(isTls
        ? { ...(isIP(url.hostname) ? {} : { servername: url.hostname }), ...(ca === undefined ? {} : { ca }) }
        : {}),
    });
    outgoing.once('error', (error) => reject(ending.aborted ? new Error('context deadline exceeded') : error));
    outgoing.once('response', (incoming) => {
      const chunks: Buffer[] = [];
      let size = 0;
      incoming.on('data', (chunk: Buffer) => {
        size += chunk.length;
        if (size > maxAnswerBytes) incoming.destroy(new Error(`the answer is longer than ${maxAnswerBytes} bytes`));
        else chunks.push(chunk);
      });
      incoming.once('error', reject);
      incoming.once('end', () => {
        const code = incoming.statusCode ?? 0;
        resolve({
          code,
          status: `${code} ${STATUS_CODES[code] ?? ''}`,
          headers: headersOf(incoming.headersDistinct),
          body: Buffer.concat(chunks).toString(),
        });
      });
    });
    outgoing.end(body);
  });
}

/** Headers of Node with the names of Go. */
export function headersOf(headers: Readonly<Record<string, string[] | undefined>>): Headers {
  return Object.fromEntries(
    Object.entries(headers).flatMap(([name, values]) => (values ? [[canonicalHeader(name), values] as const] : [])),
  );
}
