import { parseQuery } from '@tektite/schema';
import type { InterceptorRequest, InterceptorResponse } from '../interceptors/interceptor.ts';
import { setPath } from '../json/set-path.ts';
import { type JsonMap, unmarshal } from '../json/unmarshal.ts';
import { goJson } from '@tektite/go';
import type { TriggerInterceptor, WebhookInterceptor } from '../kinds/trigger.ts';
import type { Headers } from '../template/resolve-params.ts';
import { headerOf } from '../interceptors/interceptor.ts';
import type { IncomingResponse } from './send-request.ts';

/** An event as interceptors get it. */
export interface InterceptedEvent {
  readonly body: string;
  readonly headers: Headers;
  readonly extensions: JsonMap;
  /** Path and query of the request. */
  readonly url: string;
  readonly eventId: string;
}

/** The ways to call interceptors. */
export interface InterceptorCalls {
  /** One that is referred to, here or at its address. */
  call(interceptor: TriggerInterceptor, request: InterceptorRequest): Promise<InterceptorResponse>;
  /** One of the old style. */
  callWebhook(
    webhook: WebhookInterceptor,
    namespace: string,
    headers: Headers,
    body: string,
  ): Promise<IncomingResponse>;
}

export type InterceptorsResult =
  | { readonly event: InterceptedEvent; readonly stopped?: undefined }
  | { readonly stopped: InterceptorResponse };

/** Called with the answer of each interceptor, for reports. */
export type ObserveInterceptor = (interceptor: TriggerInterceptor, answer: InterceptorResponse) => void;

/** Calls interceptors one after the other until one stops the event. Each sees the extensions of those before it. */
export async function executeInterceptors(
  interceptors: readonly TriggerInterceptor[],
  event: InterceptedEvent,
  { triggerId, namespace }: { readonly triggerId: string; readonly namespace: string },
  calls: InterceptorCalls,
  observe: ObserveInterceptor = () => undefined,
): Promise<InterceptorsResult> {
  const [first] = interceptors;
  if (!first) return { event };
  let { headers } = event;
  let body = formAsJson(event, first) ?? event.body;
  const extensions: Record<string, unknown> = { ...event.extensions };
  const context = { event_url: event.url, event_id: event.eventId, trigger_id: triggerId };
  for (const interceptor of interceptors) {
    const { webhook } = interceptor;
    if (webhook) {
      const sent = { ...headers, 'Eventlistener-Request-Url': [event.url] };
      const answer = await calls.callWebhook(webhook, namespace, sent, bodyWithExtensions(body, extensions));
      headers = answer.headers;
      body = answer.body;
      observe(interceptor, { continue: true, status: {} });
      continue;
    }
    const params = Object.fromEntries((interceptor.params ?? []).map(({ name, value }) => [name, value]));
    const request = { body, header: headers, extensions: { ...extensions }, interceptor_params: params, context };
    const answer = await calls.call(interceptor, request);
    observe(interceptor, answer);
    if (!answer.continue) return { stopped: answer };
    Object.assign(extensions, answer.extensions);
  }
  return { event: { ...event, body, headers, extensions } };
}

/** A form becomes JSON, unless an interceptor of the old style is to get it as it is. */
function formAsJson({ body, headers, extensions }: InterceptedEvent, first: TriggerInterceptor): string | undefined {
  if (headerOf(headers, 'Content-Type') !== 'application/x-www-form-urlencoded') return undefined;
  if (first.webhook && Object.keys(extensions).length === 0) return undefined;
  const fields = parseQuery(body);
  return fields.size > 1 ? goJson(Object.fromEntries(fields)) : undefined;
}

/** Interceptors of the old style find the extensions in the body. */
function bodyWithExtensions(body: string, extensions: JsonMap): string {
  const entries = Object.entries(extensions);
  if (entries.length === 0) return body;
  const value = body.trim() === '' ? {} : unmarshal(body);
  const isMap = typeof value === 'object' && value !== null && !Array.isArray(value);
  const map = (isMap ? { ...value } : {}) as Record<string, unknown>;
  for (const [key, extension] of entries) setPath(map, `extensions.${key}`, extension);
  return JSON.stringify(map);
}
