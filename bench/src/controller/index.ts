import { spawn } from 'node:child_process';
import { kinds } from '@tektite/client';
import { Channel, defineController, Manager } from '@tektite/controller';
import { startControlPlane } from '@tektite/testkit';
import { call, throughput } from '../apiserver/workload.ts';
import { type ServerProcess, startServer } from '../server-process.ts';
import { printTable, type Row } from '../table.ts';
import type { CacheCost } from './cache-child.ts';
import { finishedPipelineRun, pipelineRunDefinition, pod } from './objects.ts';

/** Measures what caches cost and how fast controllers react, beside the informer of @kubernetes/client-node. */
export async function benchController({ quick }: { quick: boolean }): Promise<void> {
  const pods = quick ? 2000 : 10_000;
  const ok = [printTable('controllers, in process', await benchReconcile(quick))];
  const server = await startServer({ flags: ['--disable-admission-plugins', 'ServiceAccount'] });
  try {
    await fill(server, pods, quick ? 500 : 2000);
    ok.push(printTable(`caches of ${pods} Pods and of finished PipelineRuns, over HTTPS`, await benchCaches(server)));
  } finally {
    await server.stop();
  }
  process.exitCode = ok.every(Boolean) ? 0 : 1;
}

async function benchReconcile(quick: boolean): Promise<Row[]> {
  await using plane = await startControlPlane();
  const objects = quick ? 1000 : 5000;
  for (let i = 0; i < objects; i++)
    await plane.client.create(kinds.ConfigMap, { metadata: { namespace: 'default', name: `o-${i}` } });
  const nudges = new Channel('bench');
  const seen = new Map<string, () => void>();
  let count = 0;
  await using manager = new Manager(plane.client, { graceMs: 0 });
  const controller = defineController({
    name: 'bench',
    kind: kinds.ConfigMap,
    namespace: 'default',
    sources: [nudges],
    reconcile: (_object, { key }) => {
      count++;
      seen.get(key)?.();
    },
  });
  manager.add(controller);
  await manager.start().synced();
  const rate = await reconcileRate(nudges, objects, quick ? 20_000 : 200_000, () => count);
  const latencies = await writeLatencies(plane.client, seen, quick ? 500 : 3000);
  const at = (share: number) => latencies[Math.floor(latencies.length * share)] ?? 0;
  return [
    { what: 'reconciles of a trivial reconciler', value: rate, unit: '/s', target: { value: 20_000, better: 'more' } },
    { what: 'write to reconcile, p50', value: at(0.5), unit: 'ms', target: { value: 1, better: 'less' } },
    { what: 'write to reconcile, p99', value: at(0.99), unit: 'ms' },
  ];
}

async function reconcileRate(nudges: Channel, objects: number, total: number, done: () => number): Promise<number> {
  const start = done();
  const started = performance.now();
  for (let sent = 0; sent < total; sent += objects) {
    for (let i = 0; i < objects; i++) nudges.send(`default/o-${i}`);
    while (done() - start < sent + objects) await new Promise((resolve) => void setImmediate(resolve));
  }
  return ((done() - start) / (performance.now() - started)) * 1000;
}

/** From the answer to a write to the start of the reconcile that it causes; sorted. */
async function writeLatencies(
  client: Manager['client'],
  seen: Map<string, () => void>,
  count: number,
): Promise<readonly number[]> {
  const latencies: number[] = [];
  for (let i = 0; i < count; i++) {
    const key = { namespace: 'default', name: `o-${i % 500}` };
    let reconciled = 0;
    const happened = new Promise<void>((resolve) => {
      seen.set(`default/${key.name}`, () => {
        reconciled = performance.now();
        resolve();
      });
    });
    const started = performance.now();
    await client.update(kinds.ConfigMap, { metadata: key, data: { i: String(i) } });
    await happened;
    seen.clear();
    latencies.push(reconciled - started);
  }
  return latencies.sort((a, b) => a - b);
}

async function fill(server: ServerProcess, pods: number, runs: number): Promise<void> {
  const pool = server.connect(16);
  const namespace = 'default';
  await throughput(pods, 16, (i) =>
    call(pool, { method: 'POST', path: `/api/v1/namespaces/${namespace}/pods`, body: pod(namespace, `pod-${i}`) }),
  );
  await call(pool, {
    method: 'POST',
    path: '/apis/apiextensions.k8s.io/v1/customresourcedefinitions',
    body: pipelineRunDefinition,
  });
  const path = `/apis/tekton.dev/v1/namespaces/${namespace}/pipelineruns`;
  await untilServed(() => call(pool, { method: 'GET', path }));
  await throughput(runs, 16, (i) =>
    call(pool, { method: 'POST', path, body: finishedPipelineRun(namespace, `run-${i}`) }),
  );
}

async function untilServed(ask: () => Promise<unknown>): Promise<void> {
  for (let attempt = 0; attempt < 100; attempt++) {
    const served = await ask().then(
      () => true,
      () => false,
    );
    if (served) return;
    await new Promise((resolve) => void setTimeout(resolve, 20));
  }
  throw new Error('the definition was not established');
}

async function benchCaches(server: ServerProcess): Promise<Row[]> {
  const measure = (library: string, resource: string, transform: string) =>
    cacheCost(server.address, library, resource, transform);
  const theirs = await measure('client-node', 'pods', 'none');
  const whole = await measure('tektite', 'pods', 'none');
  const stripped = await measure('tektite', 'pods', 'strip');
  const projected = await measure('tektite', 'pods', 'pods');
  const runs = await measure('tektite', 'pipelineruns', 'none');
  const finished = await measure('tektite', 'pipelineruns', 'pipelineruns');
  const each = ({ heapBytes, objects }: CacheCost) => heapBytes / objects;
  const peak = ({ peakResidentBytes, residentBytes }: CacheCost) => peakResidentBytes / residentBytes;
  return [
    { what: 'bytes of heap per Pod, whole', value: each(whole), unit: 'B', reference: each(theirs) },
    { what: 'bytes per Pod, without managed fields', value: each(stripped), unit: 'B', reference: each(theirs) },
    { what: 'bytes per Pod, projected', value: each(projected), unit: 'B', reference: each(theirs) },
    { what: 'bytes per finished PipelineRun, whole', value: each(runs), unit: 'B' },
    {
      what: 'bytes per finished PipelineRun, projected',
      value: each(finished),
      unit: 'B',
      reference: each(runs),
      target: { value: 3000, better: 'less' },
    },
    { what: 'cold start, projected', value: projected.seconds, unit: 's', reference: theirs.seconds },
    {
      what: 'cold start: peak memory over steady',
      value: peak(projected),
      unit: '×',
      reference: peak(theirs),
      target: { value: 1.2, better: 'less' },
    },
    {
      what: 'cold start: peak memory',
      value: projected.peakResidentBytes / 2 ** 20,
      unit: 'MB',
      reference: theirs.peakResidentBytes / 2 ** 20,
    },
  ];
}

async function cacheCost(server: string, library: string, resource: string, transform: string): Promise<CacheCost> {
  const file = new URL('cache-child.js', import.meta.url).pathname;
  const child = spawn(process.execPath, ['--expose-gc', file, library, server, resource, transform], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { ...process.env, NODE_TLS_REJECT_UNAUTHORIZED: '0', NODE_NO_WARNINGS: '1' },
  });
  let out = '';
  child.stdout.on('data', (chunk: Buffer) => (out += chunk.toString()));
  const code = await new Promise<number | null>((resolve) => void child.once('exit', resolve));
  if (code !== 0) throw new Error(`measuring ${library} ${resource} ${transform} ended with ${code}`);
  return JSON.parse(out) as CacheCost;
}
