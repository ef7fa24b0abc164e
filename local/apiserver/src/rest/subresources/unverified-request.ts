import { Agent, type Dispatcher, request } from 'undici';

export interface UnverifiedRequest {
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: Uint8Array | string;
  readonly signal?: AbortSignal;
}

/** Programs in Pods have certificates of any authority; upstream does not verify them either. Nothing is kept open. */
const agent = new Agent({ connect: { rejectUnauthorized: false, timeout: 5000 }, keepAliveTimeout: 1, pipelining: 0 });

/** Sends a request to a Pod. A separate module with undici, loaded by the first proxied request. */
export function sendUnverified(
  url: string,
  { method, headers, body, signal }: UnverifiedRequest,
): Promise<Dispatcher.ResponseData> {
  return request(url, {
    dispatcher: agent,
    method: method as Dispatcher.HttpMethod,
    headers,
    bodyTimeout: 0,
    ...(body === undefined ? {} : { body }),
    ...(signal ? { signal } : {}),
  });
}
