import { kinds } from '@tektite/client';
import { seededRandom } from '@tektite/meta';
import type { ConfigMap } from '@tektite/schema/kubernetes';
import { type FaultRates, faultyTransport, startControlPlane, virtualClock } from '@tektite/testkit';
import { describe, expect, it } from 'vitest';
import { cacheKey } from './cached-object.ts';
import { Informer } from './informer.ts';

interface Soak {
  readonly seed: number;
  readonly objects: number;
  readonly changes: number;
  /** Changes between two moments at which time passes and faults strike. */
  readonly batch: number;
  readonly rates: FaultRates;
}

/** Changes objects at random behind the back of an informer whose connection keeps failing; then compares. */
async function soak({ seed, objects, changes, batch, rates }: Soak) {
  const clock = virtualClock();
  const random = seededRandom(seed);
  const plane = await startControlPlane({ clock, seed });
  const transport = faultyTransport(plane.transport(), { clock, random, rates, maxDelayMs: 20 });
  const client = plane.clientFor(transport, { maxRetries: 1 });
  const informer = new Informer(client, kinds.ConfigMap, {
    namespace: 'default',
    firstBackoffMs: 5,
    maxBackoffMs: 50,
    pageSize: 500,
  });
  informer.addIndex('value', ({ data }) => [data?.['value'] ?? '']);
  // A handler with a separate map, which must always equal the store.
  const mirror = new Map<string, ConfigMap>();
  const wrong: string[] = [];
  informer.addHandler({
    added: (object) => {
      if (mirror.has(cacheKey(object.metadata))) wrong.push(`added twice: ${object.metadata.name}`);
      mirror.set(cacheKey(object.metadata), object);
    },
    modified: (object, before) => {
      if (mirror.get(cacheKey(object.metadata)) !== before)
        wrong.push(`modified from another: ${object.metadata.name}`);
      if (Number(object.metadata.resourceVersion) <= Number(before.metadata.resourceVersion)) wrong.push('went back');
      mirror.set(cacheKey(object.metadata), object);
    },
    deleted: (object) => {
      if (!mirror.delete(cacheKey(object.metadata))) wrong.push(`deleted twice: ${object.metadata.name}`);
    },
  });
  informer.start();
  const alive = new Set<number>();
  for (let change = 0; change < changes; change++) {
    const number = Math.floor(random.next() * objects);
    const key = { namespace: 'default', name: `object-${number}` };
    const data = { value: String(change % 97) };
    if (!alive.has(number)) {
      await plane.client.create(kinds.ConfigMap, { metadata: key, data });
      alive.add(number);
    } else if (random.next() < 0.1) {
      await plane.client.delete(kinds.ConfigMap, key);
      alive.delete(number);
    } else await plane.client.update(kinds.ConfigMap, { metadata: key, data });
    if (change % batch === 0) await clock.advance(50);
  }
  transport.heal();
  await clock.advance(2_000);
  const list = await plane.client.list(kinds.ConfigMap, { namespace: 'default' });
  const state = (items: Iterable<ConfigMap>) =>
    new Map([...items].map((object) => [object.metadata.name, [object.metadata.uid, object.metadata.resourceVersion]]));
  const server = state(list.items);
  expect(wrong).toEqual([]);
  expect(state(informer.store.list())).toEqual(server);
  expect(state(mirror.values())).toEqual(server);
  const indexed = informer.store.indexValues('value').flatMap((value) => informer.store.byIndex('value', value));
  expect(state(indexed)).toEqual(server);
  expect(informer.health()).toMatchObject({ state: 'watching', healthy: true, failures: 0 });
  const { restarts } = informer.health();
  await informer.stop();
  await plane.close();
  expect(clock.pendingTimers).toBe(0);
  return { faults: transport.faults.length, restarts };
}

describe('the cache after a storm of faults', () => {
  it.each([1, 2, 3, 4, 5, 6, 7, 8])('equals the server (seed %i)', async (seed) => {
    const rates = { refuse: 0.2, lose: 0.1, overload: 0.05, delay: 0.3, cut: 0.1, expire: 0.05 };
    const { faults, restarts } = await soak({ seed, objects: 30, changes: 400, batch: 3, rates });
    expect(faults).toBeGreaterThan(30);
    expect(restarts).toBeGreaterThan(0);
  });

  it('equals the server after 100,000 changes of 10,000 objects', { timeout: 240_000 }, async () => {
    const rates = { refuse: 0.2, lose: 0.05, delay: 0.2, cut: 0.02, expire: 0.002 };
    const { faults } = await soak({ seed: 42, objects: 10_000, changes: 100_000, batch: 20, rates });
    expect(faults).toBeGreaterThan(200);
  });
});
