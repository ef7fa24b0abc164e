import type { Transport, TransportRequest } from '@tektite/client';
import type { KubeObject } from '@tektite/meta';
import type { History } from './history.ts';

/** Records the writes of a component where they arrive at the server, with the answer that the server gave. */
export function recordedTransport(inner: Transport, component: string, history: History): Transport {
  return {
    ...inner,
    request: async (request) => {
      const answer = await inner.request(request);
      if (request.method === 'GET' || request.method === 'HEAD') return answer;
      const precondition = preconditionOf(request);
      history.write({
        component,
        method: request.method,
        path: request.path,
        code: answer.status,
        ...(precondition === undefined ? {} : { precondition }),
        answer: answer.body as object,
      });
      return answer;
    },
    watch: (request) => inner.watch(request),
    stream: (request) => inner.stream(request),
    close: () => inner.close(),
  };
}

function preconditionOf({ body, method }: TransportRequest): string | undefined {
  if (typeof body !== 'object' || Array.isArray(body) || body instanceof Uint8Array) return undefined;
  if (method === 'DELETE')
    return (body as { preconditions?: { resourceVersion?: string } }).preconditions?.resourceVersion;
  const version = (body as Partial<KubeObject>).metadata?.resourceVersion;
  return version === '' ? undefined : version;
}
