import { bearer, Client, httpTransport, kinds, staticCredentials } from '@tektite/client';
import { cacheKey, Informer } from '@tektite/controller/cache';
import { call, configMap, makeNamespace, namespace, throughput } from '../apiserver/workload.ts';
import { type ServerProcess, startServer, token } from '../server-process.ts';
import { printTable, type Row } from '../table.ts';
import { startCuttingProxy } from './cutting-proxy.ts';

const path = `/api/v1/namespaces/${namespace}/configmaps`;
const cutEveryMs = 50;

/**
 * A cache over real sockets that are all cut every 50 milliseconds, while objects change as fast as the server takes it.
 * In the end the cache has to equal the server, and nothing may be left: no socket, no timer, no memory.
 */
export async function benchSoak({ quick }: { quick: boolean }): Promise<void> {
  const objects = quick ? 1000 : 10_000;
  const changes = quick ? 10_000 : 100_000;
  const server = await startServer();
  const ok: boolean[] = [];
  try {
    ok.push(
      printTable(
        `${changes} changes of ${objects} objects, connections cut every ${cutEveryMs} ms`,
        await soak(server, objects, changes),
      ),
    );
  } finally {
    await server.stop();
  }
  process.exitCode = ok.every(Boolean) ? 0 : 1;
}

async function soak(server: ServerProcess, objects: number, changes: number): Promise<Row[]> {
  const pool = server.connect(16);
  await makeNamespace(pool);
  await throughput(objects, 16, (i) => call(pool, { method: 'POST', path, body: configMap(`c-${i}`) }));
  const proxy = await startCuttingProxy(new URL(server.address), cutEveryMs);
  const before = resources();
  const client = new Client(
    httpTransport({
      server: `https://127.0.0.1:${proxy.port}`,
      insecureSkipTlsVerify: true,
      credentials: staticCredentials({ authorization: bearer(token) }),
    } as never),
  );
  let errors = 0;
  const informer = new Informer(client, kinds.ConfigMap, {
    namespace,
    firstBackoffMs: 5,
    maxBackoffMs: 100,
    onError: () => void errors++,
  });
  informer.start();
  const heaps: number[] = [];
  const parts = 10;
  const started = performance.now();
  for (let part = 0; part < parts; part++) {
    await throughput(changes / parts, 16, (i) => change(pool, (i * 7919 + part) % objects, `${part}-${i}`));
    heaps.push(settledHeap());
  }
  const seconds = (performance.now() - started) / 1000;
  const cuts = proxy.cuts;
  proxy.heal();
  const differences = await differencesAtRest(pool, informer);
  await informer.stop();
  await client.close();
  await new Promise((resolve) => void setTimeout(resolve, 100));
  const left = resources() - before;
  await proxy.close();
  return [
    { what: 'cuts', value: cuts, unit: '', target: { value: (seconds * 1000) / cutEveryMs / 3, better: 'more' } },
    { what: 'failures the cache lived through', value: errors, unit: '' },
    { what: 'objects that differ from the server', value: differences, unit: '', target: { value: 0, better: 'less' } },
    { what: 'sockets and timers left', value: Math.max(0, left), unit: '', target: { value: 0, better: 'less' } },
    {
      what: 'heap at the end, of that after a fifth',
      value: (heaps.at(-1) ?? 0) / (heaps[1] ?? 1),
      unit: '×',
      target: { value: 1.15, better: 'less' },
    },
  ];
}

/** Nine of ten times an update; otherwise it goes and comes back. */
async function change(pool: ReturnType<ServerProcess['connect']>, number: number, value: string): Promise<void> {
  const name = `c-${number}`;
  try {
    if (number % 10 > 0) await call(pool, { method: 'PUT', path: `${path}/${name}`, body: configMap(name, value) });
    else {
      await call(pool, { method: 'DELETE', path: `${path}/${name}` });
      await call(pool, { method: 'POST', path, body: configMap(name, value) });
    }
  } catch {
    // Two of the sixteen may want the same object; one of them is too late.
  }
}

/** How many objects differ once the cache has had ten seconds of peace. */
async function differencesAtRest(pool: ReturnType<ServerProcess['connect']>, informer: Informer): Promise<number> {
  let differences = Number.POSITIVE_INFINITY;
  for (let attempt = 0; attempt < 100 && differences > 0; attempt++) {
    await new Promise((resolve) => void setTimeout(resolve, 100));
    const text = (await call(pool, { method: 'GET', path })) as string;
    const { items } = JSON.parse(text) as {
      items: { metadata: { namespace: string; name: string; resourceVersion: string } }[];
    };
    const stale = items.filter(
      ({ metadata }) => informer.store.get(cacheKey(metadata))?.metadata.resourceVersion !== metadata.resourceVersion,
    );
    differences = stale.length + Math.abs(informer.store.size - items.length);
  }
  return differences;
}

function resources(): number {
  return process.getActiveResourcesInfo().filter((name) => name.startsWith('TCPSocket') || name === 'Timeout').length;
}

function settledHeap(): number {
  (globalThis as { gc?: () => void }).gc?.();
  return process.memoryUsage().heapUsed;
}
