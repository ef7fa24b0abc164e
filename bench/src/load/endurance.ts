import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import type { Pool } from 'undici';
import { call, makeNamespace } from '../apiserver/workload.ts';
import { type ServerProcess, startServer } from '../server-process.ts';
import { printTable, type Row } from '../table.ts';
import { probe } from './latencies.ts';
import type { MixedLoadResult } from './mixed-load.ts';
import { coreWaitMilliseconds, residentMegabytes, type Vitals, vitals } from './vitals.ts';

export interface EnduranceResult extends MixedLoadResult {
  /** A server that has served a little, and has nothing in it. */
  readonly before: Vitals;
  /** The same after the load, with everything deleted again. */
  readonly after: Vitals;
  readonly peakMegabytes: number;
  /** The share of the time for which the server was ready to run and had no core. */
  readonly coreWait: number;
  readonly ready: { readonly count: number; readonly failures: number; readonly p999: number };
}

const writers = 16;
const watchers = 10;
const warmUpSeconds = 5;
const readyEveryMs = 25;
/** The journal has one segment more open while it cleans. */
const openSegments = 2;
/** Time for V8 to give back memory without being asked. */
const idleMs = 5000;

/** A server at full rate with ten watchers for as long as asked; then everything is deleted. */
export async function endure(seconds: number, onSample: (line: string) => void = () => {}): Promise<EnduranceResult> {
  const server = await startServer({ inspect: true });
  try {
    await oneCall(server, makeNamespace);
    await mixedLoad(server, warmUpSeconds, 1);
    const before = await settled(server);
    let peakMegabytes = 0;
    const started = performance.now();
    let sampled = 0;
    const sampler = setInterval(() => {
      const resident = residentMegabytes(server.pid);
      peakMegabytes = Math.max(peakMegabytes, resident);
      const second = Math.round((performance.now() - started) / 1000);
      if (second < sampled + 60) return;
      sampled = second;
      onSample(
        `${second} s: ${resident.toFixed(0)} MB resident, p99.9 ${ready.latencies.quantile(0.999).toFixed(1)} ms, core wait ${coreWaitMilliseconds(server.pid).toFixed(0)} ms`,
      );
    }, 1000);
    const pool = server.connect(4);
    const waited = coreWaitMilliseconds(server.pid);
    const ready = probe(pool, readyEveryMs, () => ({ path: '/readyz' }));
    const result = await mixedLoad(server, seconds, 2);
    await ready.stop();
    clearInterval(sampler);
    await pool.destroy();
    const coreWait = (coreWaitMilliseconds(server.pid) - waited) / 1000 / seconds;
    const after = await settled(server);
    const { count, failures } = ready.latencies;
    return {
      ...result,
      before,
      after,
      peakMegabytes,
      coreWait,
      ready: { count, failures, p999: ready.latencies.quantile(0.999) },
    };
  } finally {
    await server.stop();
  }
}

/** The past is forgotten as it would be some minutes later; cleaned segments are deleted behind that. */
async function settled(server: ServerProcess): Promise<Vitals> {
  await oneCall(server, (pool) => call(pool, { method: 'POST', path: '/tektite/compact' }));
  await new Promise((resolve) => void setTimeout(resolve, idleMs));
  let last = await vitals(server);
  for (;;) {
    await new Promise((resolve) => void setTimeout(resolve, 2000));
    const now = await vitals(server);
    if (now.diskMegabytes >= last.diskMegabytes) return { ...now, residentMegabytes: last.residentMegabytes };
    last = { ...now, residentMegabytes: last.residentMegabytes };
  }
}

/** On a connection that is closed afterwards. */
async function oneCall(server: ServerProcess, action: (pool: Pool) => Promise<unknown>): Promise<void> {
  const pool = server.connect(1);
  await action(pool);
  await pool.destroy();
}

async function mixedLoad(server: ServerProcess, seconds: number, seed: number): Promise<MixedLoadResult> {
  const program = new URL('../../dist/load/mixed-load.js', import.meta.url).pathname;
  const args = [program, server.address, seconds, writers, watchers, seed].map(String);
  const { stdout, stderr } = await promisify(execFile)(process.execPath, args);
  if (stderr) process.stderr.write(stderr);
  return JSON.parse(stdout) as MixedLoadResult;
}

/** `npm run bench -- endurance [--minutes N]`. */
export async function benchEndurance(seconds: number): Promise<void> {
  const result = await endure(seconds, console.log);
  const { before, after, ready } = result;
  const less = (value: number) => ({ value, better: 'less' as const });
  const back = (what: string, read: (each: Vitals) => number, unit: string): Row => ({
    what: `${what} at the end`,
    value: read(after),
    unit,
    reference: read(before),
    target: less(read(before) * 1.2),
  });
  const ok = printTable(`${seconds} s at full rate, ${watchers} watchers, then everything deleted`, [
    { what: 'writes', value: result.writes / seconds, unit: '/s' },
    { what: 'failed writes', value: result.failures, unit: '', target: less(0) },
    { what: 'events missed or out of order', value: result.missed + result.gaps, unit: '', target: less(0) },
    { what: 'largest resident memory', value: result.peakMegabytes, unit: 'MB' },
    back('resident memory', (each) => each.residentMegabytes, 'MB'),
    back('the same after a collection', (each) => each.collectedMegabytes, 'MB'),
    back('heap after a collection', (each) => each.heapMegabytes, 'MB'),
    back('disk', (each) => each.diskMegabytes, 'MB'),
    {
      what: 'descriptors at the end',
      value: after.descriptors,
      unit: '',
      target: less(before.descriptors + openSegments),
    },
    { what: `p99.9 of ${ready.count} /readyz`, value: ready.p999, unit: 'ms', target: less(50) },
    { what: 'time the server waited for a core', value: result.coreWait * 100, unit: '%' },
    { what: '/readyz not answered', value: ready.failures, unit: '', target: less(0) },
  ]);
  process.exitCode = ok ? 0 : 1;
}
