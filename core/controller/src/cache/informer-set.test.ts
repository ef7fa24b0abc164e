import { kinds } from '@tektite/client';
import { seededRandom } from '@tektite/meta';
import { customResourceDefinition, defineKind, s } from '@tektite/schema';
import type { CustomResourceDefinition } from '@tektite/schema/kubernetes';
import { type FaultRates, faultyTransport, startControlPlane, type VirtualClock, virtualClock } from '@tektite/testkit';
import { describe, expect, it, onTestFinished } from 'vitest';
import { InformerSet } from './informer-set.ts';
import { strip } from './transform.ts';

const Memcached = defineKind({
  group: 'cache.example.com',
  version: 'v1',
  kind: 'Memcached',
  fields: { spec: s.object({ size: s.integer() }) },
});

const definition = customResourceDefinition([Memcached]) as unknown as CustomResourceDefinition;
const definitionKey = { name: 'memcacheds.cache.example.com' };

async function start(clock: VirtualClock = virtualClock(), rates: FaultRates = {}) {
  const plane = await startControlPlane({ clock });
  const transport = faultyTransport(plane.transport(), { clock, random: seededRandom(1), rates });
  const set = new InformerSet(plane.clientFor(transport), { maxBackoffMs: 2_000 });
  onTestFinished(async () => {
    await set.close();
    await plane.close();
    expect(clock.pendingTimers).toBe(0);
  });
  return { clock, client: plane.client, set };
}

describe('a set of informers', () => {
  it('shares an informer between all who want the same, and stops it with the last of them', async () => {
    const { set } = await start();
    const first = set.acquire(kinds.Pod, { labelSelector: 'app=web', transform: strip });
    const second = set.acquire(kinds.Pod, { labelSelector: 'app=web', transform: strip });
    expect(second.informer).toBe(first.informer);
    expect([...set.health().keys()]).toEqual(['v1 Pod, labels app=web, transform 1']);
    await first.informer.synced();
    await first.release();
    await first.release();
    expect(first.informer.health().state).toBe('watching');
    await second.release();
    expect(first.informer.health().state).toBe('stopped');
    expect(set.health().size).toBe(0);
    expect(set.acquire(kinds.Pod, { labelSelector: 'app=web', transform: strip }).informer).not.toBe(first.informer);
  });

  it('keeps apart what differs in kind, namespace, selectors or transform', async () => {
    const { set } = await start();
    const informers = [
      set.acquire(kinds.Pod),
      set.acquire(kinds.Secret),
      set.acquire(kinds.Pod, { namespace: 'default' }),
      set.acquire(kinds.Pod, { labelSelector: 'a=b' }),
      set.acquire(kinds.Pod, { fieldSelector: 'a=b' }),
      set.acquire(kinds.Pod, { transform: strip }),
      set.acquire(kinds.Pod, { transform: (pod) => pod }),
    ].map(({ informer }) => informer);
    expect(new Set(informers).size).toBe(7);
    expect(set.of(kinds.Pod)).toHaveLength(6);
    expect(set.of({ apiVersion: 'v1', kind: 'Pod' })).toHaveLength(6);
  });

  it('watches a kind that comes, goes and comes again', async () => {
    const { clock, client, set } = await start();
    const { informer } = set.acquire(Memcached, { unservedAfterMs: 5_000 });
    const delivered: string[] = [];
    informer.addHandler({
      added: ({ metadata }) => void delivered.push(`added ${metadata.name}`),
      deleted: ({ metadata }) => void delivered.push(`deleted ${metadata.name}`),
    });
    await clock.advance(10_000);
    expect(informer.health()).toMatchObject({ state: 'failing', synced: false });

    for (let round = 0; round < 2; round++) {
      await client.create(kinds.CustomResourceDefinition, definition);
      await clock.advance(10_000);
      expect(informer.health()).toMatchObject({ state: 'watching', synced: true });
      await client.create(Memcached, { metadata: { namespace: 'default', name: `m${round}` }, spec: { size: 1 } });
      await clock.advance(10);
      expect(informer.store.get(`default/m${round}`)?.spec.size).toBe(1);
      await client.delete(kinds.CustomResourceDefinition, definitionKey);
      await clock.advance(30_000);
      expect(informer.store.size).toBe(0);
    }
    expect(delivered).toEqual(['added m0', 'deleted m0', 'added m1', 'deleted m1']);
  });

  it('empties the cache of a kind that was removed while the watch was interrupted, but not for a short failure', async () => {
    const rates: FaultRates = { refuse: 0, cut: 0 };
    const cut = (rate: number) => Object.assign(rates, { refuse: rate, cut: rate });
    const { clock, client, set } = await start(virtualClock(), rates);
    await client.create(kinds.CustomResourceDefinition, definition);
    await client.create(Memcached, { metadata: { namespace: 'default', name: 'm' }, spec: { size: 1 } });
    const { informer } = set.acquire(Memcached, { unservedAfterMs: 20_000 });
    await clock.until(informer.synced());
    const deleted: boolean[] = [];
    informer.addHandler({ deleted: (_, { finalStateKnown }) => void deleted.push(finalStateKnown) });
    cut(1);
    await client.delete(kinds.CustomResourceDefinition, definitionKey);
    await clock.advance(60_000);
    expect(informer.store.size).toBe(1);
    cut(0);
    await clock.advance(10_000);
    expect(informer.health()).toMatchObject({ state: 'failing' });
    expect(informer.store.size).toBe(1);
    await clock.advance(20_000);
    expect(informer.store.size).toBe(0);
    expect(deleted).toEqual([false]);

    await client.create(kinds.CustomResourceDefinition, definition);
    await client.create(Memcached, { metadata: { namespace: 'default', name: 'm' }, spec: { size: 2 } });
    await clock.advance(10_000);
    expect(informer.store.get('default/m')?.spec.size).toBe(2);
    expect(informer.health()).toMatchObject({ state: 'watching', healthy: true });
  });

  it('stops everything when it is closed, and starts nothing after', async () => {
    const { set } = await start();
    const { informer } = set.acquire(kinds.Pod);
    await set.close();
    expect(informer.health().state).toBe('stopped');
    expect(() => set.acquire(kinds.Pod)).toThrow('closed');
  });
});
