import { kinds, mergePatch } from '@tektite/client';
import { isStatusError, seededRandom, sleep } from '@tektite/meta';
import type { ConfigMap } from '@tektite/schema/kubernetes';
import { type Cluster, faultyTransport } from '@tektite/testkit';
import { expect, it, onTestFinished } from 'vitest';
import { cacheKey } from './cached-object.ts';
import { InformerSet } from './informer-set.ts';
import { Informer } from './informer.ts';
import { metadataTransport } from './metadata-transport.ts';
import { ReadYourWrites } from './read-your-writes.ts';

const patience = { timeout: 20_000, interval: 10 };

/** Cases of a cache on any server of the Kubernetes API, in real time. Each case uses different objects. */
export function cacheCases(cluster: () => Cluster): void {
  /** Connections that break all the time, and caches that come back quickly. */
  function unreliable(seed: number) {
    const { clock, transport, clientFor } = cluster();
    const rates = { refuse: 0.1, lose: 0.05, delay: 0.3, cut: 0.1, expire: 0.03 };
    const faulty = faultyTransport(transport(), { clock, random: seededRandom(seed), rates, maxDelayMs: 20 });
    return { faulty, client: clientFor(faulty, { maxRetries: 1 }) };
  }
  const versions = (items: Iterable<ConfigMap>) =>
    [...items].map(({ metadata }) => `${cacheKey(metadata)} ${metadata.resourceVersion}`).sort();

  it('ends equal to the server however often its watch breaks and its history is compacted', async () => {
    const { client, clock } = cluster();
    const { faulty, client: broken } = unreliable(7);
    const selection = { namespace: 'default', labelSelector: 'case=storm' };
    const informer = new Informer(broken, kinds.ConfigMap, { ...selection, firstBackoffMs: 5, maxBackoffMs: 50 });
    onTestFinished(() => informer.stop());
    const mirror = new Map<string, ConfigMap>();
    informer.addHandler({
      added: (object) => void mirror.set(cacheKey(object.metadata), object),
      modified: (object) => void mirror.set(cacheKey(object.metadata), object),
      deleted: (object) => void mirror.delete(cacheKey(object.metadata)),
    });
    informer.start();
    const labels = { case: 'storm' };
    for (let change = 0; change < 200; change++) {
      const key = { namespace: 'default', name: `storm-${change % 15}` };
      if (change % 7 === 6) await client.delete(kinds.ConfigMap, key).catch(() => {});
      else await client.apply(kinds.ConfigMap, { metadata: { ...key, labels }, data: { change: String(change) } });
      if (change % 5 === 0) await sleep(clock, 10);
    }
    faulty.heal();
    const server = versions((await client.list(kinds.ConfigMap, selection)).items);
    expect(server.length).toBeGreaterThan(5);
    await expect.poll(() => versions(informer.store.list()), patience).toEqual(server);
    expect(versions(mirror.values())).toEqual(server);
    expect(faulty.faults.length).toBeGreaterThan(5);
    expect(informer.health()).toMatchObject({ state: 'watching', healthy: true });
  });

  it('delivers a complete snapshot to a handler, then the changes', async () => {
    const { client } = cluster();
    const key = { namespace: 'default', name: 'delivered' };
    const delivered: string[] = [];
    await client.create(kinds.ConfigMap, { metadata: key });
    const informer = new Informer(client, kinds.ConfigMap, {
      namespace: 'default',
      fieldSelector: 'metadata.name=delivered',
    });
    onTestFinished(() => informer.stop());
    informer.addHandler({
      added: ({ metadata }, { initial }) => void delivered.push(`added ${metadata.name}${initial ? ' (initial)' : ''}`),
      modified: ({ metadata, data }) => void delivered.push(`modified ${metadata.name} ${data?.['n']}`),
      deleted: ({ metadata }) => void delivered.push(`deleted ${metadata.name}`),
    });
    await informer.start().synced();
    for (const n of ['1', '2']) await client.patch(kinds.ConfigMap, key, mergePatch({ data: { n } }));
    await client.delete(kinds.ConfigMap, key);
    const expected = ['added delivered (initial)', 'modified delivered 1', 'modified delivered 2', 'deleted delivered'];
    await expect.poll(() => delivered, patience).toEqual(expected);
  });

  it('reads many objects in pages, and nothing but metadata where that is asked for', async () => {
    const { client, transport, clientFor } = cluster();
    const labels = { case: 'pages' };
    const names = Array.from({ length: 25 }, (_, index) => `page-${String(index).padStart(2, '0')}`);
    for (const name of names)
      await client.create(kinds.ConfigMap, { metadata: { namespace: 'default', name, labels }, data: { name } });
    const options = { namespace: 'default', labelSelector: 'case=pages', pageSize: 10 };
    const informer = new Informer(clientFor(metadataTransport(transport())), kinds.ConfigMap, options);
    onTestFinished(() => informer.stop());
    await informer.start().synced();
    expect([...informer.store.keys()].sort()).toEqual(names.map((name) => `default/${name}`));
    expect([...informer.store.list()].every(({ data }) => data === undefined)).toBe(true);
  });

  it('shows writes to their waiters, however late the cache receives them', async () => {
    const { client } = cluster();
    const set = new InformerSet(unreliable(5).client);
    onTestFinished(() => set.close());
    const { informer } = set.acquire(kinds.ConfigMap);
    await informer.synced();
    const writes = new ReadYourWrites(client, set);
    const key = { namespace: 'default', name: 'read' };
    const read = () => informer.store.get('default/read');
    for (let round = 0; round < 5; round++) {
      const created = await writes.client.create(kinds.ConfigMap, { metadata: key, data: { n: '0' } });
      await writes.caughtUp();
      expect(read()?.metadata.uid).toBe(created.metadata.uid);
      const stale = read();
      await writes.client.patch(kinds.ConfigMap, key, mergePatch({ data: { n: '1' } }));
      await writes.caughtUp();
      expect(read()?.data).toEqual({ n: '1' });
      const refused = writes.client.update(kinds.ConfigMap, { ...stale, metadata: { ...stale?.metadata } });
      await expect(refused).rejects.toSatisfy((error) => isStatusError(error, 'Conflict'));
      await writes.client.delete(kinds.ConfigMap, key);
      await writes.caughtUp();
      expect(read()).toBeUndefined();
    }
  });

  it('waits for objects that are deleted and stay for their finalizers', async () => {
    const { client } = cluster();
    const set = new InformerSet(client);
    onTestFinished(() => set.close());
    const { informer } = set.acquire(kinds.ConfigMap);
    await informer.synced();
    const writes = new ReadYourWrites(client, set);
    const key = { namespace: 'default', name: 'held' };
    await writes.client.create(kinds.ConfigMap, { metadata: { ...key, finalizers: ['example.com/hold'] } });
    await writes.client.delete(kinds.ConfigMap, key);
    await writes.caughtUp();
    expect(informer.store.get('default/held')?.metadata.deletionTimestamp).toBeDefined();
    await writes.client.patch(kinds.ConfigMap, key, mergePatch({ metadata: { finalizers: null } }));
    await writes.caughtUp();
    expect(informer.store.get('default/held')).toBeUndefined();
  });
}
