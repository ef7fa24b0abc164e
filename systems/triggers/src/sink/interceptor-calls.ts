import { stringifyJson } from '@tektite/meta';
import { coreService } from '../config/shipped-objects.ts';
import { coreInterceptors } from '../interceptors/core-interceptors.ts';
import type { Interceptor, InterceptorRequest, InterceptorResponse } from '../interceptors/interceptor.ts';
import { unmarshalMap } from '../json/unmarshal.ts';
import type { ClusterInterceptorObject, InterceptorObject } from '../kinds/interceptor.ts';
import type { TriggerInterceptor, WebhookInterceptor } from '../kinds/trigger.ts';
import type { SecretReader } from '../secrets/secret-reader.ts';
import type { Headers } from '../template/resolve-params.ts';
import type { InterceptorCalls } from './execute-interceptors.ts';
import { resolveAddress } from './interceptor-address.ts';
import { type IncomingResponse, type ResolveHost, sendRequest } from './send-request.ts';
import { getObject, type TriggerStore } from './trigger-store.ts';

/** Upstream's time for an interceptor of the old style. */
const webhookTimeoutMs = 5000;
const interceptorTimeoutMs = 10_000;

export interface InterceptorCallOptions {
  readonly store: Pick<TriggerStore, 'interceptors' | 'clusterInterceptors'>;
  /** Where the system's own objects are. */
  readonly systemNamespace: string;
  /** The namespace of the listener: its Interceptors may be named. */
  readonly listenerNamespace: string;
  /** Secrets of a namespace. */
  readonly secrets: (namespace: string) => SecretReader;
  readonly resolveHost: ResolveHost;
  readonly signal?: AbortSignal;
}

/** Calls the interceptors of this process directly, and all others over HTTP. */
export function interceptorCalls(options: InterceptorCallOptions): InterceptorCalls {
  const { store, listenerNamespace, secrets, resolveHost, signal } = options;
  const ending = signal ? { signal } : {};
  return {
    async call(interceptor, request) {
      const object = findInterceptor(interceptor, store, listenerNamespace);
      const core = coreOf(object, options.systemNamespace);
      if (core) return core(request, secrets(namespaceOf(request)));
      return callOverHttp(object, request);
    },
    callWebhook: (webhook, namespace, headers, body) => callWebhook(webhook, namespace, headers, body),
  };

  async function callOverHttp(
    object: ClusterInterceptorObject | InterceptorObject,
    request: InterceptorRequest,
  ): Promise<InterceptorResponse> {
    const url = object.status?.address?.url ?? withName(object, () => resolveAddress(object));
    const { caBundle } = object.spec.clientConfig;
    const { code, body } = await sendRequest(
      {
        url,
        headers: { 'Content-Type': ['application/json'] },
        body: stringifyJson(request),
        timeoutMs: interceptorTimeoutMs,
        ...(caBundle === undefined || caBundle === '' ? {} : { ca: Buffer.from(caBundle, 'base64').toString() }),
        ...ending,
      },
      resolveHost,
    );
    if (code !== 200) throw new Error(`interceptor response was not 200: ${body}`);
    const answer = unmarshalMap(body) as Partial<InterceptorResponse>;
    return { ...answer, continue: answer.continue === true, status: answer.status ?? {} };
  }

  async function callWebhook(
    { url, objectRef, header = [] }: WebhookInterceptor,
    namespace: string,
    headers: Headers,
    body: string,
  ): Promise<IncomingResponse> {
    const target = url ?? `http://${objectRef?.name}.${objectRef?.namespace ?? namespace}.svc/`;
    const added = header.map(
      ({ name, value }) => [name, typeof value === 'string' ? [value] : Object.values(value)] as const,
    );
    const sent = { ...headers, ...Object.fromEntries(added) };
    const request = { url: target, headers: sent, body, timeoutMs: webhookTimeoutMs, ...ending };
    const answer = await sendRequest(request, resolveHost);
    if (answer.code !== 200) throw new Error(`request rejected; status: ${answer.status}; message: ${answer.body}`);
    return answer;
  }
}

function findInterceptor(
  { ref }: TriggerInterceptor,
  { interceptors, clusterInterceptors }: InterceptorCallOptions['store'],
  namespace: string,
): ClusterInterceptorObject | InterceptorObject {
  const name = ref.name ?? '';
  try {
    return ref.kind === 'NamespacedInterceptor'
      ? getObject(interceptors, 'interceptor', name, namespace)
      : getObject(clusterInterceptors, 'clusterinterceptor', name);
  } catch (error) {
    throw new Error(`url resolution failed for interceptor ${name} with: ${(error as Error).message}`, {
      cause: error,
    });
  }
}

function withName<T>({ metadata }: ClusterInterceptorObject, action: () => T): T {
  try {
    return action();
  } catch (error) {
    throw new Error(`url resolution failed for interceptor ${metadata.name} with: ${(error as Error).message}`, {
      cause: error,
    });
  }
}

/** The interceptor of this process that an object stands for: its Service is the one of the core interceptors. */
function coreOf({ kind, spec }: ClusterInterceptorObject, systemNamespace: string): Interceptor | undefined {
  const { service } = spec.clientConfig;
  if (kind !== 'ClusterInterceptor' || service?.name !== coreService || service.namespace !== systemNamespace)
    return undefined;
  const path = (service.path ?? '').replace(/^\//, '').toLowerCase();
  return Object.hasOwn(coreInterceptors, path) ? coreInterceptors[path] : undefined;
}

/** `namespaces/NAMESPACE/triggers/NAME`. */
function namespaceOf({ context }: InterceptorRequest): string {
  const parts = (context?.trigger_id ?? '').split('/');
  return parts.length === 4 ? (parts[1] ?? '') : '';
}
