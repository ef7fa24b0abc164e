import { isStatusError, type KubeObject, type Status } from '@tektite/meta';
import { expect, it } from 'vitest';
import type { Transport, TransportRequest, WireEvent } from './transport.ts';

/** An API server and a way to it, as one who may do everything. */
export interface TransportFixture {
  readonly transport: Transport;
  /** Another transport to the same server, for the case that closes it. */
  another(): Promise<Transport>;
}

export interface TransportCaseOptions {
  /** Servers before 1.27 do not warn of unknown fields. */
  readonly warnsOfUnknownFields?: boolean;
  /** Only our own server forgets its history on request. */
  readonly compacts?: boolean;
}

const configMaps = '/api/v1/namespaces/default/configmaps';

function configMap(name: string, data: Record<string, string> = {}): KubeObject & { data: Record<string, string> } {
  return { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name }, data };
}

/** The behaviour of every transport. Each case uses different names. */
export function transportCases(fixture: () => TransportFixture, options: TransportCaseOptions = {}): void {
  const { warnsOfUnknownFields = true, compacts = true } = options;
  const request = (options: TransportRequest) => fixture().transport.request(options);
  const create = async (object: KubeObject) =>
    (await request({ method: 'POST', path: configMaps, body: object })).body as KubeObject;
  const watch = (options: { query: Record<string, string>; signal?: AbortSignal }) =>
    fixture().transport.watch({
      method: 'GET',
      path: configMaps,
      query: new URLSearchParams({ watch: 'true', ...options.query }),
      ...(options.signal ? { signal: options.signal } : {}),
    });
  const named = (name: string) => ({ fieldSelector: `metadata.name=${name}` });

  it('answers with the object that was written', async () => {
    const response = await request({ method: 'POST', path: configMaps, body: configMap('written', { a: 'ü€😀' }) });
    expect(response.status).toBe(201);
    expect(response.body).toMatchObject({ kind: 'ConfigMap', metadata: { name: 'written' }, data: { a: 'ü€😀' } });
  });

  it('answers failures with their Status instead of rejecting', async () => {
    const response = await request({ method: 'GET', path: `${configMaps}/absent` });
    expect(response.status).toBe(404);
    expect(response.body).toMatchObject({
      kind: 'Status',
      reason: 'NotFound',
      message: 'configmaps "absent" not found',
    });
  });

  it('answers text as text', async () => {
    const response = await request({ method: 'GET', path: '/readyz' });
    expect(response.body).toBe('ok');
  });

  it('carries bodies of other formats as they are', async () => {
    const body = 'apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: yaml\ndata:\n  a: "1"\n';
    const response = await request({ method: 'POST', path: configMaps, body, contentType: 'application/yaml' });
    expect(response.body).toMatchObject({ metadata: { name: 'yaml' }, data: { a: '1' } });
  });

  it('answers YAML when asked for it', async () => {
    await create(configMap('as-yaml'));
    const response = await request({ method: 'GET', path: `${configMaps}/as-yaml`, accept: 'application/yaml' });
    expect(response.body).toMatch(/^apiVersion: v1\nkind: ConfigMap\n/);
  });

  it('carries the query and the headers', async () => {
    await create(configMap('queried'));
    const query = new URLSearchParams({ fieldSelector: 'metadata.name=queried' });
    const list = (await request({ method: 'GET', path: configMaps, query })).body as { items: KubeObject[] };
    expect(list.items.map(({ metadata }) => metadata.name)).toEqual(['queried']);
    const denied = await request({ method: 'GET', path: configMaps, headers: { 'impersonate-user': 'nobody' } });
    expect(denied.status).toBe(403);
  });

  it.runIf(warnsOfUnknownFields)('hands over warnings', async () => {
    const body = { ...configMap('warned'), 'it\'s "odd"': 1 };
    const query = new URLSearchParams({ fieldValidation: 'Warn' });
    const response = await request({ method: 'POST', path: configMaps, query, body });
    expect(response.warnings).toEqual(['unknown field "it\'s \\"odd\\""']);
  });

  it.each([
    ['application/json-patch+json', [{ op: 'add', path: '/data/b', value: '2' }]],
    ['application/merge-patch+json', { data: { b: '2' } }],
    ['application/strategic-merge-patch+json', { data: { b: '2' } }],
  ])('carries a patch of type %s', async (contentType, body) => {
    const name = `patched-${contentType.replaceAll(/[^a-z]/g, '-')}`;
    await create(configMap(name, { a: '1' }));
    const response = await request({ method: 'PATCH', path: `${configMaps}/${name}`, contentType, body });
    expect(response.body).toMatchObject({ data: { a: '1', b: '2' } });
  });

  it('leaves the body of a request to the caller: neither frozen nor kept', async () => {
    const body = {
      ...configMap('own-body', { a: '1' }),
      metadata: { name: 'own-body', labels: { a: '1' } as Record<string, string> },
    };
    await create(body);
    body.data.a = 'changed';
    body.metadata.labels.a = 'changed';
    const read = (await request({ method: 'GET', path: `${configMaps}/own-body` })).body;
    expect(read).toMatchObject({ metadata: { labels: { a: '1' } }, data: { a: '1' } });
  });

  it('takes a body that is frozen', async () => {
    const body = Object.freeze({ ...configMap('frozen-body'), data: Object.freeze({ a: '1' }) });
    expect(await create(body)).toMatchObject({ data: { a: '1' } });
  });

  it('takes fields that are undefined for absent', async () => {
    const body = { ...configMap('undefined-fields'), immutable: undefined, data: { a: '1', b: undefined } };
    expect(await create(body as KubeObject)).toMatchObject({ data: { a: '1' } });
  });

  it('gives the events of a watch in order', async () => {
    const created = await create(configMap('watched', { step: '1' }));
    const stream = await watch({
      query: { ...named('watched'), resourceVersion: created.metadata.resourceVersion ?? '' },
    });
    const patch = {
      method: 'PATCH',
      path: `${configMaps}/watched`,
      contentType: 'application/merge-patch+json',
    } as const;
    for (const step of ['2', '3', '4']) await request({ ...patch, body: { data: { step } } });
    await request({ method: 'DELETE', path: `${configMaps}/watched` });
    const events = await take(stream, 4);
    expect(events.map(({ type, object }) => [type, (object as { data?: { step: string } }).data?.step])).toEqual([
      ['MODIFIED', '2'],
      ['MODIFIED', '3'],
      ['MODIFIED', '4'],
      ['DELETED', '4'],
    ]);
    expect(events[0]?.object).toMatchObject({ apiVersion: 'v1', kind: 'ConfigMap' });
  });

  it('ends a watch when the server does', async () => {
    const stream = await watch({ query: { ...named('nobody'), timeoutSeconds: '1' } });
    expect(await take(stream, 99)).toEqual([]);
  });

  it.runIf(compacts)('reports a compacted history as an event', async () => {
    await create(configMap('compacted'));
    await request({ method: 'POST', path: '/tektite/compact' });
    const [event] = await take(await watch({ query: { resourceVersion: '1' } }), 1);
    expect(event?.type).toBe('ERROR');
    expect((event?.object as Status | undefined)?.reason).toBe('Expired');
  });

  it('rejects a watch that the server refuses with its Status', async () => {
    const refused = fixture().transport.watch({
      method: 'GET',
      path: '/api/v1/namespaces/default/nonsense',
      query: new URLSearchParams({ watch: 'true' }),
    });
    await expect(refused).rejects.toSatisfy((error) => isStatusError(error, 'NotFound'));
  });

  it('throws the reason in the loop when a watch is aborted', async () => {
    const controller = new AbortController();
    const stream = await watch({ query: named('nobody'), signal: controller.signal });
    const reading = take(stream, 1);
    const reason = new Error('enough');
    controller.abort(reason);
    await expect(reading).rejects.toBe(reason);
  });

  it('ends the loop when a watch is closed', async () => {
    const stream = await watch({ query: named('nobody') });
    const reading = take(stream, 1);
    stream.close();
    expect(await reading).toEqual([]);
  });

  it('rejects with the reason when the signal is aborted before', async () => {
    const reason = new Error('too late');
    const signal = AbortSignal.abort(reason);
    await expect(request({ method: 'GET', path: '/readyz', signal })).rejects.toBe(reason);
    await expect(watch({ query: {}, signal })).rejects.toBe(reason);
    await expect(fixture().transport.stream({ method: 'GET', path: '/readyz', signal })).rejects.toBe(reason);
  });

  it('rejects with the reason when the signal is aborted during a request', async () => {
    const controller = new AbortController();
    const reason = new Error('changed my mind');
    const answer = request({ method: 'GET', path: configMaps, signal: controller.signal });
    controller.abort(reason);
    await expect(answer).rejects.toBe(reason);
  });

  it('streams an answer as bytes', async () => {
    const stream = await fixture().transport.stream({ method: 'GET', path: '/readyz' });
    const chunks: Uint8Array[] = [];
    for await (const chunk of stream) chunks.push(chunk);
    expect(Buffer.concat(chunks).toString()).toBe('ok');
  });

  it('rejects a stream that the server refuses with its Status', async () => {
    const path = '/api/v1/namespaces/default/pods/absent/log';
    await expect(fixture().transport.stream({ method: 'GET', path })).rejects.toSatisfy((error) =>
      isStatusError(error, 'NotFound'),
    );
  });

  it('ends what is open when it is closed, and takes nothing more', async () => {
    const transport = await fixture().another();
    const stream = await transport.watch({
      method: 'GET',
      path: configMaps,
      query: new URLSearchParams({ watch: 'true', resourceVersion: '', ...named('nobody') }),
    });
    const broken = expect(take(stream, 1)).rejects.toMatchObject({ code: 'CLOSED' });
    await transport.close();
    await broken;
    await expect(transport.request({ method: 'GET', path: '/readyz' })).rejects.toMatchObject({ code: 'CLOSED' });
    await expect(transport.watch({ method: 'GET', path: configMaps })).rejects.toMatchObject({ code: 'CLOSED' });
  });
}

async function take(stream: AsyncIterable<WireEvent>, count: number): Promise<WireEvent[]> {
  const events: WireEvent[] = [];
  for await (const event of stream) {
    events.push(event);
    if (events.length === count) break;
  }
  return events;
}
