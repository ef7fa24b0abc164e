import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ApiServer, RevisionStore, SegmentJournal } from '@tektite/apiserver';
import { printTable, type Row } from '../table.ts';
import { startBareServer } from './bare-server.ts';
import { type ServerProcess, startServer } from '../server-process.ts';
import { fanOut, watchLag } from './watchers.ts';
import { apply, configMap, create, get, list, makeNamespace, patch, remove, throughput, update } from './workload.ts';

const clients = 16;

/** Measures the API server as a command, over HTTPS, and its storage in process. */
export async function benchApiServer({ quick }: { quick: boolean }): Promise<void> {
  const count = quick ? 2000 : 8000;
  const ok: boolean[] = [];
  ok.push(printTable('start', await benchStart()));
  for (const protocol of ['HTTP/1.1', 'HTTP/2'] as const)
    ok.push(
      printTable(
        `CPU of a server that has just started, for each request: ${clients} at once, ${protocol}`,
        await benchCold(protocol),
      ),
    );
  const server = await startServer();
  try {
    const pool = server.connect(clients);
    await makeNamespace(pool);
    ok.push(
      printTable(`requests per second: ${clients} clients, 1 KB objects, durable`, await benchVerbs(server, count)),
    );
    ok.push(printTable('watch', await benchWatch(server, quick)));
  } finally {
    await server.stop();
  }
  ok.push(
    printTable(
      'cost of a write as the state grows (in process, durable, 64 in flight)',
      await benchGrowth(quick ? [1000, 10_000] : [1000, 10_000, 100_000]),
    ),
  );
  process.exitCode = ok.every(Boolean) ? 0 : 1;
}

async function benchStart(): Promise<Row[]> {
  const started = performance.now();
  const inProcess = await ApiServer.create();
  const inProcessSeconds = (performance.now() - started) / 1000;
  await inProcess.close();
  const server = await startServer();
  const pool = server.connect(clients);
  await makeNamespace(pool);
  await throughput(2000, clients, (i) => create(pool, `c-${i}`));
  const memory = await server.residentMegabytes();
  await server.stop();
  return [
    { what: 'ready, in process', value: inProcessSeconds, unit: 's', target: { value: 0.15, better: 'less' } },
    {
      what: 'ready, as a command',
      value: server.readyMilliseconds / 1000,
      unit: 's',
      target: { value: 0.5, better: 'less' },
      elsewhere: '3.0 s',
    },
    {
      what: 'memory with 2,000 objects',
      value: memory,
      unit: 'MB',
      target: { value: 120, better: 'less' },
      elsewhere: '440 MB',
    },
  ];
}

/** A cold server, as users meet it. CPU counts the same on a busy machine. */
async function benchCold(protocol: 'HTTP/1.1' | 'HTTP/2'): Promise<Row[]> {
  const server = await startServer();
  try {
    const pool = protocol === 'HTTP/2' ? server.multiplex(clients) : server.connect(clients);
    await makeNamespace(pool);
    const rows: Row[] = [];
    const row = async (what: string, count: number, action: (index: number) => Promise<unknown>, divisor = 1) => {
      const before = await server.cpuSeconds();
      await throughput(count, clients, action);
      const used = (await server.cpuSeconds()) - before;
      rows.push({ what, value: (used / count / divisor) * 1e6, unit: 'µs' });
    };
    const count = 3000;
    await row('create', count, (i) => create(pool, `c-${i}`));
    await row('get', count, (i) => get(pool, `c-${i}`));
    await row('update', count, (i) => update(pool, `c-${i}`, 'u'));
    await row('merge patch', count, (i) => patch(pool, `c-${i}`, 'p'));
    await row('apply', count, (i) => apply(pool, `c-${i}`, 'a'));
    await row('list, for each object', 10, () => list(pool), count);
    await row('delete', count, (i) => remove(pool, `c-${i}`));
    const value = await server.residentMegabytes();
    return [...rows, { what: 'memory afterwards', value, unit: 'MB' }];
  } finally {
    await server.stop();
  }
}

async function benchVerbs(server: ServerProcess, count: number): Promise<Row[]> {
  const bare = await startBareServer();
  const barePool = bare.connect(clients);
  const echo = {
    method: 'POST' as const,
    path: '/',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(configMap('c')),
  };
  const reference = await throughput(count, clients, async () => (await barePool.request(echo)).body.text());
  await bare.stop();

  const pool = server.connect(clients);
  // A first round, thrown away, lets the engine compile what is hot.
  await throughput(1000, clients, (i) => create(pool, `warm-${i}`));
  await throughput(1000, clients, (i) => remove(pool, `warm-${i}`));
  const row = (what: string, value: number, target?: number, elsewhere?: string): Row => ({
    what,
    value,
    unit: '/s',
    reference,
    ...(target === undefined ? {} : { target: { value: target, better: 'more' as const } }),
    ...(elsewhere ? { elsewhere } : {}),
  });
  const creates = await throughput(count, clients, (i) => create(pool, `c-${i}`));
  const gets = await throughput(count, clients, (i) => get(pool, `c-${i}`));
  const updates = await throughput(count, clients, (i) => update(pool, `c-${i}`, 'u'));
  const patches = await throughput(count, clients, (i) => patch(pool, `c-${i}`, 'p'));
  const applies = await throughput(count, clients, (i) => apply(pool, `c-${i}`, 'a'));
  const started = performance.now();
  const lists = 5;
  for (let i = 0; i < lists; i++) await list(pool);
  const listed = ((count * lists) / (performance.now() - started)) * 1000;
  const deletes = await throughput(count - 10, clients, (i) => remove(pool, `c-${i + 10}`));
  return [
    row('create', creates, 3300, '1.1 k/s'),
    row('get', gets, undefined, '2.4 k/s'),
    row('update', updates, 3300),
    row('merge patch', patches, 3300),
    row('apply', applies, 3300, '1.1 k/s'),
    row('delete', deletes),
    { what: 'objects listed', value: listed, unit: '/s', elsewhere: '34 k/s' },
  ];
}

async function benchWatch(server: ServerProcess, quick: boolean): Promise<Row[]> {
  const watchers = quick ? 200 : 1000;
  return [
    { what: 'lag from write to event (median)', value: await watchLag(server, 200), unit: 'ms', elsewhere: '2.6 ms' },
    { what: `one write to ${watchers} watchers`, value: await fanOut(server, watchers), unit: 'ms' },
    { what: 'memory afterwards', value: await server.residentMegabytes(), unit: 'MB' },
  ];
}

/** Microseconds per durable write with so many objects already there; the first row is the reference for the others. */
async function benchGrowth(sizes: readonly number[]): Promise<Row[]> {
  const rows: Row[] = [];
  for (const size of sizes) {
    const folder = await mkdtemp(join(tmpdir(), 'tektite-bench-'));
    const storage = new RevisionStore({ journal: await SegmentJournal.open(folder) });
    const put = (i: number) =>
      storage.write(
        `/registry/configmaps/bench/c-${i}`,
        0,
        configMap(`c-${i}`) as Parameters<RevisionStore['write']>[2],
      );
    await throughput(size, 64, put);
    const measured = 4000;
    const perSecond = await throughput(measured, 64, (i) => put(size + i));
    await storage.close();
    await rm(folder, { recursive: true, force: true });
    const value = 1e6 / perSecond;
    const first = rows[0]?.value;
    rows.push({
      what: `with ${size.toLocaleString('en-US')} objects`,
      value,
      unit: 'µs',
      ...(first === undefined ? {} : { reference: first, target: { value: first * 1.5, better: 'less' as const } }),
    });
  }
  return rows;
}
