import { Agent, buildConnector, type Dispatcher, request } from 'undici';
import { type Dial, dialled } from '../../admission/webhook/dial.ts';

export interface UnverifiedRequest {
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: Uint8Array | string;
  readonly signal?: AbortSignal;
}

const timeoutMs = 5000;
const agents = new WeakMap<Dial, Agent>();
const plainAgent = newAgent(undefined);

/** Programs in Pods have certificates of any authority; upstream does not verify them either. Nothing is kept open. */
function newAgent(dial: Dial | undefined): Agent {
  const connect = buildConnector({ rejectUnauthorized: false, timeout: timeoutMs });
  return new Agent({ connect: dialled(connect, dial, timeoutMs), keepAliveTimeout: 1, pipelining: 0 });
}

function agentOf(dial: Dial | undefined): Agent {
  if (!dial) return plainAgent;
  const known = agents.get(dial) ?? newAgent(dial);
  agents.set(dial, known);
  return known;
}

/** Sends a request to a Pod. A separate module with undici, loaded by the first proxied request. */
export function sendUnverified(
  url: string,
  { method, headers, body, signal }: UnverifiedRequest,
  dial?: Dial,
): Promise<Dispatcher.ResponseData> {
  return request(url, {
    dispatcher: agentOf(dial),
    method: method as Dispatcher.HttpMethod,
    headers,
    bodyTimeout: 0,
    ...(body === undefined ? {} : { body }),
    ...(signal ? { signal } : {}),
  });
}
