import { type Client, kinds, type TransportRequest } from '@tektite/client';
import { context, type Context, propagation, SpanStatusCode } from '@opentelemetry/api';
import { type ControlPlane, faultyTransport, startControlPlane, virtualClock } from '@tektite/testkit';
import { seededRandom } from '@tektite/meta';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { observedTransport } from './observed-transport.ts';
import { MeterRecorder, tracerRecorder } from './test-support.ts';

describe('an observed transport', () => {
  const clock = virtualClock();
  let plane: ControlPlane;
  let meter: MeterRecorder;
  let tracer: ReturnType<typeof tracerRecorder>;
  let client: Client;

  beforeEach(async () => {
    plane = await startControlPlane({ clock });
    meter = new MeterRecorder();
    tracer = tracerRecorder();
    client = plane.clientFor(observedTransport(plane.transport(), { meter, tracer, clock }));
  });
  afterEach(() => plane.close());

  const requests = (method: string, code: string) => meter.read('rest_client_requests_total', { method, code });

  it('counts requests by method and answer', async () => {
    await client.list(kinds.Pod);
    await client.create(kinds.ConfigMap, { metadata: { namespace: 'default', name: 'a' } });
    await client.get(kinds.Pod, { namespace: 'default', name: 'none' }).catch(() => undefined);
    (await client.watch(kinds.Pod)).close();
    expect([requests('GET', '200'), requests('POST', '201'), requests('GET', '404')]).toEqual([2, 1, 1]);
    const times = (verb: string) => meter.values('rest_client_request_duration_seconds', { verb }).length;
    expect([times('GET'), times('POST'), times('WATCH')]).toEqual([2, 1, 1]);
  });

  it('makes each a span that ends once and says how it went', async () => {
    await client.get(kinds.Namespace, { name: 'default' });
    await client.get(kinds.Namespace, { name: 'none' }).catch(() => undefined);
    expect(tracer.spans).toMatchObject([
      {
        name: 'GET /api/v1/namespaces/default',
        attributes: { 'http.request.method': 'GET', 'http.response.status_code': 200 },
        ended: 1,
      },
      { name: 'GET /api/v1/namespaces/none', attributes: { 'http.response.status_code': 404 }, ended: 1 },
    ]);
  });

  it('counts requests without an answer, as errors with a separate code', async () => {
    const random = seededRandom(1);
    const broken = faultyTransport(plane.transport(), { clock, random, rates: { refuse: 1 } });
    const cut = observedTransport(broken, { meter, tracer, clock });
    const request: TransportRequest = { method: 'POST', path: '/api/v1/namespaces' };
    await expect(cut.request(request)).rejects.toThrow('refused by a seeded fault');
    expect(requests('POST', '<error>')).toBe(1);
    expect(tracer.spans[0]).toMatchObject({
      status: { code: SpanStatusCode.ERROR, message: 'the connection was refused by a seeded fault' },
      ended: 1,
    });
  });

  it('counts a rejected watch by the status code', async () => {
    const unprivileged = plane.transport({ name: 'nobody', groups: [] });
    const watched = observedTransport(unprivileged, { meter, tracer, clock });
    await expect(watched.watch({ method: 'GET', path: '/api/v1/pods' })).rejects.toThrow('forbidden');
    expect(requests('GET', '403')).toBe(1);
  });

  it('sends the trace context of a request, and keeps the other headers', async () => {
    const sent: TransportRequest[] = [];
    const inner = plane.transport();
    const listening = { ...inner, request: (each: TransportRequest) => (sent.push(each), inner.request(each)) };
    propagation.setGlobalPropagator({
      inject: (_: Context, carrier, setter) => setter.set(carrier, 'traceparent', '00-trace-span-01'),
      extract: () => context.active(),
      fields: () => ['traceparent'],
    });
    try {
      const observed = observedTransport(listening, { meter, tracer, clock });
      await observed.request({ method: 'GET', path: '/version', headers: { 'x-mine': '1' } });
    } finally {
      propagation.disable();
    }
    expect(sent[0]?.headers).toEqual({ 'x-mine': '1', traceparent: '00-trace-span-01' });
  });
});
