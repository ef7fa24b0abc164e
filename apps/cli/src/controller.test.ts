import { type Client, httpTransport, kinds, loadConfig, openClient } from '@tektite/client';
import { request } from 'undici';
import { describe, expect, it } from 'vitest';
import { startCollector } from './observe/test-support.ts';
import { eventually, memcached, Scratch } from './test-support.ts';

const namespace = 'default';
const Memcached = { apiVersion: 'cache.example.com/v1alpha1', kind: 'Memcached' };

const createCache = (client: Client, name: string, size = 1) =>
  client.create(Memcached, { metadata: { namespace, name }, spec: { size } } as never);

async function deployments(client: Client): Promise<readonly string[]> {
  const { items } = await client.list(kinds.Deployment, { namespace });
  return items.map(({ metadata, spec }) => `${metadata.name} ${spec?.replicas}`);
}

async function get(url: string): Promise<{ code: number; text: string }> {
  const { statusCode, body } = await request(url);
  return { code: statusCode, text: await body.text() };
}

async function startController(scratch: Scratch, kubeconfig: string, args: string[] = [], env = {}) {
  const flags = ['--kubeconfig', kubeconfig, '--status-address', '127.0.0.1:0'];
  const running = await scratch.start(
    ['controller', '--systems', memcached, ...flags, ...args],
    /"status":"(http[^"]+)"/,
    env,
  );
  return { running, status: (await running.said(/"status":"(http[^"]+)"/))[1] ?? '' };
}

describe('tektite controller', () => {
  it('serves the page, whose users have their own rights and not those of the controllers', async () => {
    using scratch = new Scratch();
    await using up = await scratch.up();
    const args = ['--disable-ha', '--dashboard-address', '127.0.0.1:0'];
    const { running } = await startController(scratch, up.kubeconfig, args);
    await using _ = running;
    const [, url = ''] = await running.said(/"dashboard":"(http[^"]+)"/);
    expect(await get(`${url}/api/login`)).toMatchObject({ code: 200, text: '{"form":"token"}' });
    await using client = await openClient({ kubeconfig: up.kubeconfig });
    await client.create(kinds.ServiceAccount, { metadata: { namespace, name: 'reader' } });
    const path = `/api/v1/namespaces/${namespace}/serviceaccounts/reader/token`;
    const body = { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', spec: {} };
    const transport = httpTransport(await loadConfig({ kubeconfig: up.kubeconfig }));
    const { body: made } = await transport.request({ method: 'POST', path, body });
    await transport.close();
    const { token } = (made as { status: { token: string } }).status;
    const json = { 'content-type': 'application/json' };
    const login = await request(`${url}/api/session`, {
      method: 'POST',
      headers: json,
      body: JSON.stringify({ token }),
    });
    const { csrfToken, user } = (await login.body.json()) as { csrfToken: string; user: string };
    expect(user).toBe(`system:serviceaccount:${namespace}:reader`);
    const headers = { cookie: String(login.headers['set-cookie']).split(';')[0] ?? '', 'x-tektite-csrf': csrfToken };
    const read = async (route: string) => (await request(`${url}${route}`, { headers })).statusCode;
    expect(await read('/api/session')).toBe(200);
    expect(await read('/api/kube/api/v1/namespaces')).toBe(403);
    expect(await read(`/api/explain?path=/api/v1/namespaces/${namespace}`)).toBe(403);
  });

  it('runs an operator on a cluster, reports its health and the causes of reconciles, and stops on SIGTERM', async () => {
    using scratch = new Scratch();
    await using up = await scratch.up();
    const { kubeconfig } = up;
    const { running, status } = await startController(scratch, kubeconfig, ['--disable-ha']);
    await using _ = running;
    await eventually(async () => (await get(`${status}/readyz`)).text).toBe('ok');
    expect(await get(`${status}/healthz`)).toEqual({ code: 200, text: 'ok' });
    await using client = await openClient({ kubeconfig });
    await createCache(client, 'web', 3);
    await eventually(() => deployments(client)).toEqual(['web 3']);

    // The object is there before the reconcile that made it has ended.
    const page = async (path: string) => (await get(`${status}${path}`)).text;
    await eventually(() => page('/readyz?verbose')).toContain('[+]controller/memcached running, 0 waiting');
    expect(await page('/readyz?verbose')).toMatch(/\[\+\]informer\/.*Deployment/);
    const reconciled = /^controller_runtime_reconcile_total\{controller="memcached",result="done".*\} [1-9]/m;
    await eventually(() => page('/metrics')).toMatch(reconciled);
    const metrics = await page('/metrics');
    expect(metrics).toMatch(/^workqueue_adds_total\{name="memcached".*\} [1-9]/m);
    expect(metrics).toMatch(/^rest_client_requests_total\{method="PATCH",code="20[01]".*\} [1-9]/m);
    expect(metrics).toMatch(/^informer_synced\{informer="[^"]*Memcached[^"]*".*\} 1$/m);
    for (const name of [
      'workqueue_depth',
      'workqueue_queue_duration_seconds_bucket',
      'workqueue_work_duration_seconds_count',
      'workqueue_unfinished_work_seconds',
      'workqueue_longest_running_processor_seconds',
      'controller_runtime_reconcile_time_seconds_sum',
      'controller_runtime_active_workers',
      'rest_client_request_duration_seconds_bucket',
      'informer_lag_seconds',
      'informer_healthy',
      'informer_restarts',
    ])
      expect(metrics).toMatch(new RegExp(`^${name}\\{`, 'm'));

    const text = scratch.tektite(['explain', 'mc', 'web', '--controller', status]);
    expect(text).toMatchObject({ code: 0, err: '' });
    expect(text.out).toMatch(/^\d{4}-\d\d-\d\dT[\d:.]+Z {2}memcached {2}done after [\d.]+ ms\n {2}because {2}/);
    expect(text.out).toContain('Memcached default/web');
    const json = scratch.tektite(['explain', 'Memcached', 'web', '--controller', status, '-o', 'json']);
    expect(JSON.parse(json.out)[0]).toMatchObject({ controller: 'memcached', key: 'default/web', outcome: 'done' });
    const { out: nothing } = scratch.tektite(['explain', 'memcached', 'none', '--controller', status]);
    expect(nothing).toContain('No controller has reconciled memcached default/none since it started.');

    const { code, milliseconds } = await running.stop();
    expect(code).toBe(0);
    expect(milliseconds).toBeLessThan(5000);
    for (const line of running.output.trim().split('\n')) expect(JSON.parse(line)).toHaveProperty('level');
  });

  it('is taken over from by another process when it is killed', { timeout: 60_000 }, async () => {
    using scratch = new Scratch();
    await using up = await scratch.up();
    const { kubeconfig } = up;
    const timing = ['--leader-elect-lease-duration', '3s', '--leader-elect-renew-deadline', '2s'];
    const flags = [...timing, '--leader-elect-retry-period', '200ms'];
    const first = await startController(scratch, kubeconfig, flags);
    await using one = first.running;
    await using client = await openClient({ kubeconfig });
    await createCache(client, 'a');
    const holder = async () => (await client.list(kinds.Lease, { namespace })).items[0]?.spec?.holderIdentity ?? '';
    await eventually(holder).not.toBe('');
    const before = await holder();
    const second = await startController(scratch, kubeconfig, [...flags, '--shutdown-delay-duration', '2s']);
    await using two = second.running;
    expect(await holder()).toBe(before);
    const looked = async (status: string, name: string) =>
      JSON.parse((await get(`${status}/explain?kind=Memcached&key=default/${name}`)).text).records.length > 0;
    await eventually(() => looked(first.status, 'a')).toBe(true);
    expect(await looked(second.status, 'a')).toBe(false);

    await one.stop('SIGKILL');
    const killed = performance.now();
    await createCache(client, 'b');
    await eventually(() => looked(second.status, 'b')).toBe(true);
    expect(performance.now() - killed).toBeLessThan(10_000);
    expect(await holder()).not.toBe(before);
    await eventually(() => deployments(client)).toEqual(['a 1', 'b 1']);

    const ended = two.stop('SIGTERM');
    await eventually(holder).toBe('');
    expect(await get(`${second.status}/readyz`)).toMatchObject({ code: 500 });
    expect(await get(`${second.status}/livez`)).toMatchObject({ code: 200 });
    expect(await ended).toMatchObject({ code: 0 });
  });

  it('sends traces in which calls are parts of their reconcile', async () => {
    using scratch = new Scratch();
    await using up = await scratch.up();
    await using collector = await startCollector();
    const env = { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url };
    const { running } = await startController(scratch, up.kubeconfig, ['--disable-ha'], env);
    await using _ = running;
    await using client = await openClient({ kubeconfig: up.kubeconfig });
    await createCache(client, 'traced');
    await eventually(() => deployments(client)).toEqual(['traced 1']);
    expect((await running.stop()).code).toBe(0);
    const reconcile = collector.spans.find(({ name }) => name === 'reconcile memcached');
    expect(reconcile?.attributes).toContainEqual({ key: 'k8s.key', value: { stringValue: 'default/traced' } });
    const calls = collector.spans.filter(({ parentSpanId }) => parentSpanId === reconcile?.spanId);
    expect(calls.map(({ name }) => name)).toContain(
      'PATCH /apis/cache.example.com/v1alpha1/namespaces/default/memcacheds/traced',
    );
    for (const { traceId } of calls) expect(traceId).toBe(reconcile?.traceId);
    // Watches of caches belong to no trace.
    const watch = collector.spans.find(({ name }) => name.startsWith('WATCH '));
    expect(watch?.parentSpanId ?? '').toBe('');
  });

  it('ends in time although no collector takes its traces', async () => {
    using scratch = new Scratch();
    await using up = await scratch.up();
    const env = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:9' };
    const { running } = await startController(scratch, up.kubeconfig, ['--disable-ha'], env);
    const { code, milliseconds } = await running.stop();
    expect(code).toBe(0);
    expect(milliseconds).toBeLessThan(5000);
  });

  it.each([
    [
      ['--systems', memcached, '--threads-per-controller', '0'],
      /--threads-per-controller must be a number from 1 to 1000/,
    ],
    [['--systems', memcached, '--kube-api-qps', '-5'], /--kube-api-qps must be a number|argument missing/],
    [['--systems', memcached, '--buckets', '11'], /--buckets must be a number from 1 to 10, not "11"/],
    [['--systems', memcached, '--log-level', 'loud'], /--log-level must be one of debug, info, warn, error/],
    [['--systems', memcached, '--status-address', 'here'], /--status-address must be an address and a port/],
    [
      ['--systems', memcached, '--leader-elect-retry-period', 'soon'],
      /must be a time, as 15s, 1m30s or 500ms, not "soon"/,
    ],
    [['--systems', memcached, '--kubeconfig', '/no/such/file'], /\/no\/such\/file/],
    [['--systems', memcached, '--shutdown-delay-duration', '30s'], /--shutdown-delay-duration must be at most 20s/],
    [['--systems', memcached, '--no-such-flag'], /unknown option '--no-such-flag'/],
    [
      ['--systems', 'no-such-system'],
      /--systems: there is no "no-such-system"; give (one of .*, or )?a file, folder or package/,
    ],
    [['--systems', ','], /--systems: name at least one system/],
    [[], /required option '--systems <list>' not specified/],
  ])('reports a usage error in one sentence: %j', (args, message) => {
    using scratch = new Scratch();
    const { code, out, err } = scratch.tektite(['controller', ...args]);
    expect({ code, out }).toEqual({ code: args.includes('--kubeconfig') ? 1 : 2, out: '' });
    expect(err).toMatch(message);
    expect(err).not.toMatch(/^\s+at /m);
  });

  it('says so when the cluster cannot be reached, or its times make no sense, or its port is taken', async () => {
    using scratch = new Scratch();
    const up = await scratch.up();
    const args = ['controller', '--systems', memcached, '--kubeconfig', up.kubeconfig];
    const times = scratch.tektite([...args, '--leader-elect-lease-duration', '5s']);
    expect(times.err).toMatch(/tektite: --leader-elect-…: leaseDuration must be greater than renewDeadline\n$/);
    const address = new URL((/https:\S+/.exec(up.output) ?? [''])[0]).host;
    const port = scratch.tektite([...args, '--disable-ha', '--status-address', address]);
    expect(port.err).toContain(`tektite: --status-address: ${address} cannot be listened on (EADDRINUSE)\n`);
    await up.stop();
    const gone = scratch.tektite(args);
    expect(gone.err).toMatch(/^tektite: https:\/\/127\.0\.0\.1:\d+ cannot be reached: /);
    for (const { code, err } of [times, port, gone]) {
      expect(code).toBe(1);
      expect(err).not.toMatch(/^\s+at /m);
    }
  });
});
