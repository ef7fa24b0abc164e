import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { setTimeout as delay } from 'node:timers/promises';
import { configMap, create, makeNamespace, throughput } from '../apiserver/workload.ts';
import { type ServerProcess, startServer } from '../server-process.ts';
import { printTable } from '../table.ts';
import type { CrowdResult } from './crowd-clients.ts';
import { type Latencies, probe } from './latencies.ts';
import { coreWaitMilliseconds, residentMegabytes } from './vitals.ts';

export interface CrowdSize {
  /** Objects of a kilobyte that lists and watches are about. */
  readonly objects: number;
  readonly idle: number;
  readonly watches: number;
  readonly slow: number;
  /** Each writes objects of a megabyte, one after the other. */
  readonly writers: number;
  readonly seconds: number;
}

export interface CrowdFigures {
  readonly crowd: CrowdResult;
  readonly peakMegabytes: number;
  /** Of a client that does nothing unusual: reads and small writes, and of health. */
  readonly others: Latencies;
  readonly ready: Latencies;
  /** The share of the time for which the server was ready to run and had no core. */
  readonly coreWait: number;
}

const fullSize: CrowdSize = { objects: 14_000, idle: 5000, watches: 2000, slow: 500, writers: 60, seconds: 60 };
const quickSize: CrowdSize = { objects: 2000, idle: 200, watches: 100, slow: 40, writers: 10, seconds: 10 };

/** Idle connections, watches, slow readers and large writes at once; and how well the others are served meanwhile. */
export async function crowd(size: CrowdSize): Promise<CrowdFigures> {
  const server = await startServer();
  let peakMegabytes = 0;
  const sampler = setInterval(() => {
    peakMegabytes = Math.max(peakMegabytes, residentMegabytes(server.pid));
  }, 100);
  try {
    const pool = server.connect(16);
    await makeNamespace(pool);
    await throughput(size.objects, 16, (i) => create(pool, `c-${i}`));
    const clients = await startClients(server, size);
    const waited = coreWaitMilliseconds(server.pid);
    const path = '/api/v1/namespaces/bench/configmaps/c-0';
    const body = (round: number) => JSON.stringify(configMap('c-0', String(round)));
    const others = probe(pool, 100, (round) =>
      round % 10 === 0 ? { path, method: 'PUT', body: body(round) } : { path },
    );
    const ready = probe(server.connect(2), 100, () => ({ path: '/readyz' }));
    await delay(size.seconds * 1000);
    await Promise.all([others.stop(), ready.stop()]);
    const coreWait = (coreWaitMilliseconds(server.pid) - waited) / 1000 / size.seconds;
    return {
      crowd: await clients.stop(),
      peakMegabytes,
      others: others.latencies,
      ready: ready.latencies,
      coreWait,
    };
  } finally {
    clearInterval(sampler);
    await server.stop();
  }
}

async function startClients(server: ServerProcess, size: CrowdSize): Promise<{ stop(): Promise<CrowdResult> }> {
  const program = new URL('../../dist/load/crowd-clients.js', import.meta.url).pathname;
  const { idle, watches, slow, writers } = size;
  const args = [program, server.address, idle, watches, slow, writers].map(String);
  const child = spawn(process.execPath, args, { stdio: ['pipe', 'pipe', 'inherit'] });
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const next = async () => {
    const { value, done } = await lines.next();
    if (done) throw new Error('the crowd of clients ended');
    return value;
  };
  await next();
  return {
    async stop() {
      child.stdin.end();
      return JSON.parse(await next()) as CrowdResult;
    },
  };
}

/** `npm run bench -- crowd [--quick] [--minutes N]`. */
export async function benchCrowd({ quick, ...more }: { quick: boolean; seconds?: number }): Promise<void> {
  const size = { ...(quick ? quickSize : fullSize), ...more };
  const { crowd: clients, peakMegabytes, others, ready, coreWait } = await crowd(size);
  const { idle, watches, slow, writers } = size;
  const less = (value: number) => ({ value, better: 'less' as const });
  const ok = printTable(
    `${idle} idle connections, ${watches} watches, ${slow} slow readers, ${writers} writers of 1 MB, at once`,
    [
      { what: 'idle connections open at the end', value: clients.idle, unit: '' },
      {
        what: 'watches open at the end',
        value: clients.watches,
        unit: '',
        target: { value: watches, better: 'more' },
      },
      { what: 'events', value: clients.events / size.seconds, unit: '/s' },
      { what: 'slow readers cut off', value: clients.cuts, unit: '' },
      { what: 'writes of 1 MB', value: clients.largeWrites / size.seconds, unit: '/s' },
      { what: 'writes of 1 MB answered with 429', value: clients.tooManyRequests, unit: '' },
      { what: 'failures of clients in the crowd', value: clients.failures, unit: '', target: less(0) },
      { what: 'largest resident memory', value: peakMegabytes, unit: 'MB', target: less(1000) },
      { what: `p50 of ${others.count} requests of others`, value: others.quantile(0.5), unit: 'ms' },
      { what: 'p99 of them', value: others.quantile(0.99), unit: 'ms', target: less(500) },
      { what: 'failures of them', value: others.failures, unit: '', target: less(0) },
      { what: `p99 of ${ready.count} /readyz`, value: ready.quantile(0.99), unit: 'ms', target: less(500) },
      { what: 'time the server waited for a core', value: coreWait * 100, unit: '%' },
    ],
  );
  process.exitCode = ok ? 0 : 1;
}
