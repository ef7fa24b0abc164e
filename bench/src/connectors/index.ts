import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { kinds, type Transport } from '@tektite/client';
import { Connector, connectorsSystem, memoryPayloads } from '@tektite/connectors';
import { startSystems } from '@tektite/controller';
import { type DynamicObject, isConditionTrue, sleep, systemClock } from '@tektite/meta';
import { SimulatedRuntime, startNode } from '@tektite/node';
import type { ControlPlane } from '@tektite/testkit';
import { startSimulatedCluster } from '@tektite/testkit/cluster';
import { printTable, type Row } from '../table.ts';

/** Connectors from their creation to Ready, with webhooks, workloads and a simulated node; then what they cost at rest. */
export async function benchConnectors({ quick }: { quick: boolean }): Promise<void> {
  // The timers of controllers do not keep a process alive.
  const alive = setInterval(() => undefined, 60_000);
  const ok = printTable('Connectors of seven objects, simulated', await benchMany(quick ? 40 : 200));
  clearInterval(alive);
  process.exitCode = ok ? 0 : 1;
}

const named = (apiVersion: string, kind: string, name: string, rest: object): DynamicObject => ({
  apiVersion,
  kind,
  metadata: { name, namespace: 'payload' },
  ...rest,
});

function workload(kind: string, name: string, more: object = {}): DynamicObject {
  const labels = { app: name };
  const template = { metadata: { labels }, spec: { containers: [{ name: 'main', image: 'bench:1' }] } };
  return named('apps/v1', kind, name, { spec: { replicas: 1, selector: { matchLabels: labels }, template, ...more } });
}

const objects: readonly DynamicObject[] = [
  named('v1', 'ServiceAccount', 'web', {}),
  named('v1', 'ConfigMap', 'settings', { data: { text: 'x'.repeat(1000) } }),
  named('v1', 'Secret', 'token', { stringData: { token: 'secret' } }),
  named('v1', 'Service', 'web', { spec: { selector: { app: 'web' }, ports: [{ port: 80 }] } }),
  named('rbac.authorization.k8s.io/v1', 'Role', 'web', { rules: [] }),
  workload('Deployment', 'web'),
  workload('StatefulSet', 'db', { serviceName: 'db' }),
];

async function benchMany(count: number): Promise<Row[]> {
  await using plane = await startSimulatedCluster();
  await using __ = await moreNodes(plane, Math.ceil((count * 2) / podsOfNode));
  const counting = countingTransport(plane.transport());
  const client = plane.clientFor(counting.transport);
  const payloads = memoryPayloads({ shop: { objects } });
  const webhooks = { host: plane.server.localWebhooks, service: { namespace: 'default', name: 'bench' } };
  await using _ = await startSystems([connectorsSystem({ payloads, version: 'v1', workers: 8 })], { client, webhooks });
  const create = async (name: string): Promise<void> => {
    await plane.client.create(kinds.Namespace, { metadata: { name } });
    const spec = { component: 'shop', labels: { team: name } } as never;
    await plane.client.create(Connector, { metadata: { namespace: name, name }, spec });
  };
  const untilReady = async (wanted: number): Promise<void> => {
    for (;;) {
      const { items } = await plane.client.list(Connector);
      if (items.filter(({ status }) => isConditionTrue(status?.conditions, 'Ready')).length === wanted) return;
      await sleep(systemClock, 20);
    }
  };
  const alone = performance.now();
  await create('warm');
  await untilReady(1);
  const first = performance.now() - alone;
  const memory = used();
  const started = performance.now();
  await Promise.all(Array.from({ length: count }, (_each, index) => create(`shop-${index}`)));
  await untilReady(count + 1);
  const seconds = (performance.now() - started) / 1000;
  // Events are written a little later.
  await sleep(systemClock, 15_000);
  const grown = (used() - memory) / count / 1024;
  const before = counting.writes();
  await sleep(systemClock, 35_000);
  return [
    { what: `${count} at once, until all are Ready`, value: seconds, unit: 's' },
    { what: 'installed', value: count / seconds, unit: 'Connectors/s', target: { value: 5, better: 'more' } },
    { what: 'the first one alone', value: first, unit: 'ms' },
    { what: 'memory for each, with the cluster it is on', value: grown, unit: 'KiB' },
    { what: 'writes of the operator for each', value: before / (count + 1), unit: '' },
    {
      what: 'writes of the operator in half a minute at rest',
      value: counting.writes() - before,
      unit: '',
      target: { value: 0, better: 'less' },
    },
  ];
}

/** A node takes so many Pods and no more. */
const podsOfNode = 110;

async function moreNodes(plane: ControlPlane, count: number): Promise<AsyncDisposable> {
  const folder = await mkdtemp(join(tmpdir(), 'tektite-bench-'));
  const runtime = () => new SimulatedRuntime({ clock: systemClock, simulate: () => ({}) });
  const nodes = await Promise.all(
    Array.from({ length: count }, (_each, index) =>
      startNode({
        client: plane.client,
        runtime: runtime(),
        name: `node-${index}`,
        dataDir: join(folder, String(index)),
      }),
    ),
  );
  return {
    async [Symbol.asyncDispose]() {
      await Promise.all(nodes.map((node) => node[Symbol.asyncDispose]()));
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** Counts what changes something, or tries to. */
function countingTransport(inner: Transport): { readonly transport: Transport; readonly writes: () => number } {
  let writes = 0;
  const request: Transport['request'] = (sent) => {
    if (sent.method !== 'GET') writes++;
    return inner.request(sent);
  };
  const transport: Transport = {
    request,
    watch: (sent) => inner.watch(sent),
    stream: (sent) => inner.stream(sent),
    close: () => inner.close(),
  };
  return { transport, writes: () => writes };
}

function used(): number {
  globalThis.gc?.();
  return process.memoryUsage().heapUsed;
}
