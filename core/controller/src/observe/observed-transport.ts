import { context, type Meter, propagation, SpanKind, SpanStatusCode, type Tracer } from '@opentelemetry/api';
import type { Transport, TransportRequest } from '@tektite/client';
import type { Clock } from '@tektite/meta';

export interface Observers {
  readonly meter: Meter;
  readonly tracer: Tracer;
  readonly clock: Clock;
}

/**
 * The same transport, with every call counted, timed and traced; requests carry the trace context. The names of the
 * metrics are client-go's.
 */
export function observedTransport(inner: Transport, { meter, tracer, clock }: Observers): Transport {
  const requests = meter.createCounter('rest_client_requests_total', {
    description: 'Requests to the API server by method and answer',
  });
  const times = meter.createHistogram('rest_client_request_duration_seconds', {
    description: 'How long the API server takes to answer',
    unit: 's',
    advice: { explicitBucketBoundaries: [0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 5, 10] },
  });

  async function observed<R extends { readonly status: number }>(
    request: TransportRequest,
    verb: string,
    send: (request: TransportRequest) => Promise<R>,
  ): Promise<R> {
    const started = clock.monotonic();
    const attributes = { 'http.request.method': request.method, 'url.path': request.path };
    const span = tracer.startSpan(`${verb} ${request.path}`, { kind: SpanKind.CLIENT, attributes });
    let code = '<error>';
    try {
      const headers: Record<string, string> = { ...request.headers };
      const active = context.active();
      propagation.inject(active, headers);
      const answer = await send({ ...request, headers });
      code = String(answer.status);
      span.setAttribute('http.response.status_code', answer.status);
      return answer;
    } catch (error) {
      const status = (error as { code?: unknown }).code;
      if (typeof status === 'number') code = String(status);
      span.setStatus({ code: SpanStatusCode.ERROR, message: (error as Error).message });
      throw error;
    } finally {
      span.end();
      requests.add(1, { method: request.method, code });
      times.record((clock.monotonic() - started) / 1000, { verb });
    }
  }

  return {
    request: (request) => observed(request, request.method, (each) => inner.request(each)),
    watch: (request) => observed(request, 'WATCH', (each) => inner.watch(each)),
    stream: (request) => observed(request, 'STREAM', (each) => inner.stream(each)),
    close: () => inner.close(),
  };
}
