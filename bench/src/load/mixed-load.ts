import { setPriority } from 'node:os';
import { setTimeout as delay } from 'node:timers/promises';
import { seededRandom } from '@tektite/meta';
import { Pool } from 'undici';
import { apply, call, configMap, namespace, patch, remove, update } from '../apiserver/workload.ts';
import { EventCounter } from './event-counter.ts';

/**
 * Writers and watchers of ConfigMaps, in a separate process: `node mixed-load.js ADDRESS SECONDS WRITERS WATCHERS
 * SEED`. Ends with everything deleted, and prints a {@link MixedLoadResult}.
 */
export interface MixedLoadResult {
  readonly writes: number;
  readonly failures: number;
  /** Events that a watcher did not get, over all watchers. */
  readonly missed: number;
  readonly gaps: number;
}

const objectsPerWriter = 100;
const largeEvery = 50;
const largeText = 'x'.repeat(50_000);
const path = `/api/v1/namespaces/${namespace}/configmaps`;

const [address = '', seconds = '10', writers = '16', watchers = '10', seed = '1'] = process.argv.slice(2);
// The server is under test, not the scheduler.
setPriority(10);
const connect = (connections: number) =>
  new Pool(address, { connections, connect: { rejectUnauthorized: false }, bodyTimeout: 0 });
const pool = connect(Number(writers));

const { metadata } = JSON.parse((await call(pool, { method: 'GET', path })) as string) as {
  metadata: { resourceVersion: string };
};
const watchPool = connect(Number(watchers));
const counters = Array.from(
  { length: Number(watchers) },
  () => new EventCounter(watchPool, path, Number(metadata.resourceVersion)),
);
let writes = 0;
let failures = 0;
const end = performance.now() + Number(seconds) * 1000;
await Promise.all(Array.from({ length: Number(writers) }, (_, writer) => write(writer)));

// Watchers may be behind the last write.
for (let wait = 0; wait < 100 && counters.some(({ events }) => events < writes); wait++) await delay(100);
const result: MixedLoadResult = {
  writes,
  failures,
  missed: counters.reduce((sum, { events }) => sum + Math.abs(writes - events), 0),
  gaps: counters.reduce((sum, { gaps }) => sum + gaps, 0),
};
await Promise.all(counters.map((counter) => counter.stop()));
await Promise.all([pool.destroy(), watchPool.destroy()]);
process.stdout.write(`${JSON.stringify(result)}\n`);

/** Changes separate objects, one after the other, and deletes them at the end. */
async function write(writer: number): Promise<void> {
  const random = seededRandom(Number(seed) * 1000 + writer);
  const existing = new Set<string>();
  for (let step = 0; performance.now() < end; step++) {
    const slot = Math.floor(random.next() * objectsPerWriter);
    await attempt(change(`w${writer}-${slot}`, slot, `${step}`, random.next(), existing));
  }
  for (const name of existing) await attempt(remove(pool, name));
}

function change(name: string, slot: number, value: string, choice: number, existing: Set<string>): Promise<unknown> {
  if (!existing.has(name)) {
    existing.add(name);
    const text = slot % largeEvery === 0 ? largeText + value : value;
    return call(pool, { method: 'POST', path, body: configMap(name, text) });
  }
  if (choice < 0.4) return update(pool, name, value);
  if (choice < 0.7) return patch(pool, name, value);
  if (choice < 0.85) return apply(pool, name, value);
  existing.delete(name);
  return remove(pool, name);
}

async function attempt(action: Promise<unknown>): Promise<void> {
  try {
    await action;
    writes++;
  } catch (error) {
    failures++;
    if (failures <= 5) process.stderr.write(`${String(error)}\n`);
  }
}
