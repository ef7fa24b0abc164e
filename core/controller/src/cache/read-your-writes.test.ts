import { type Client, kinds, mergePatch } from '@tektite/client';
import { isStatusError, seededRandom } from '@tektite/meta';
import { type ControlPlane, faultyTransport, startControlPlane, virtualClock } from '@tektite/testkit';
import { describe, expect, it, onTestFinished } from 'vitest';
import { InformerSet } from './informer-set.ts';
import { ReadYourWrites } from './read-your-writes.ts';

const key = { namespace: 'default', name: 'a' };

/** Caches that learn of everything late: each event of theirs may be cut off, and comes only after a wait. */
async function start(options: { readonly caches?: (plane: ControlPlane) => Client } = {}) {
  const clock = virtualClock();
  const plane = await startControlPlane({ clock });
  const slow = () => {
    const rates = { delay: 1, cut: 0.5 };
    const transport = faultyTransport(plane.transport(), { clock, random: seededRandom(5), rates, maxDelayMs: 500 });
    return plane.clientFor(transport);
  };
  const set = new InformerSet(options.caches?.(plane) ?? slow());
  onTestFinished(async () => {
    await set.close();
    await plane.close();
    expect(clock.pendingTimers).toBe(0);
  });
  const { informer } = set.acquire(kinds.ConfigMap);
  await clock.until(informer.synced());
  const writes = new ReadYourWrites(plane.client, set);
  const read = () => informer.store.get('default/a');
  return { clock, plane, set, writes, client: writes.client, read };
}

describe('reading your own writes', () => {
  it('sees what was created, changed and deleted, however late the cache learns of it', async () => {
    const { clock, writes, client, read } = await start();
    for (let round = 0; round < 10; round++) {
      const created = await client.create(kinds.ConfigMap, { metadata: key, data: { n: '0' } });
      await clock.until(writes.caughtUp());
      expect(read()?.metadata.uid).toBe(created.metadata.uid);
      await client.patch(kinds.ConfigMap, key, mergePatch({ data: { n: '1' } }));
      await clock.until(writes.caughtUp());
      expect(read()?.data).toEqual({ n: '1' });
      await client.apply(kinds.ConfigMap, { metadata: key, data: { n: '2' } }, { force: true });
      await client.update(kinds.ConfigMap, { metadata: key, data: { n: '3' } });
      expect(writes.outstanding).toBe(1);
      await clock.until(writes.caughtUp());
      expect(read()?.data).toEqual({ n: '3' });
      await client.delete(kinds.ConfigMap, key);
      await clock.until(writes.caughtUp());
      expect(read()).toBeUndefined();
      expect(writes.outstanding).toBe(0);
    }
  });

  it('sees a deletion that waits for a finalizer', async () => {
    const { clock, writes, client, read } = await start();
    await client.create(kinds.ConfigMap, { metadata: { ...key, finalizers: ['example.com/hold'] } });
    await client.delete(kinds.ConfigMap, key);
    await clock.until(writes.caughtUp());
    expect(read()?.metadata.deletionTimestamp).toBeDefined();
    await client.patch(kinds.ConfigMap, key, mergePatch({ metadata: { finalizers: null } }));
    await clock.until(writes.caughtUp());
    expect(read()).toBeUndefined();
  });

  it('does not wait for an object that another client deleted meanwhile', async () => {
    const { clock, plane, writes, client, read } = await start();
    await client.create(kinds.ConfigMap, { metadata: key });
    await plane.client.delete(kinds.ConfigMap, key);
    await clock.until(writes.caughtUp());
    expect(read()).toBeUndefined();
  });

  it('after a conflict waits for something newer than what was sent, so that the next try can succeed', async () => {
    const { clock, plane, writes, client, read } = await start();
    await client.create(kinds.ConfigMap, { metadata: key, data: { n: '0' } });
    await clock.until(writes.caughtUp());
    const stale = read();
    await plane.client.update(kinds.ConfigMap, { metadata: key, data: { n: '1' } });
    const refused = client.update(kinds.ConfigMap, { ...stale, metadata: { ...stale?.metadata }, data: { n: '2' } });
    await expect(refused).rejects.toSatisfy((error) => isStatusError(error, 'Conflict'));
    await clock.until(writes.caughtUp());
    expect(read()?.data).toEqual({ n: '1' });
  });

  it('does not wait for ever for a conflict that was none', async () => {
    const { clock, plane, writes, client, read, set } = await start({ caches: (plane) => plane.client });
    await client.create(kinds.ConfigMap, { metadata: key });
    await clock.until(writes.caughtUp());
    const transport = faultyTransport(plane.transport(), { clock, random: seededRandom(1), rates: { conflict: 1 } });
    const lying = new ReadYourWrites(plane.clientFor(transport), set);
    const object = read();
    await expect(
      lying.client.update(kinds.ConfigMap, { ...object, metadata: { ...object?.metadata } }),
    ).rejects.toThrow();
    const started = clock.monotonic();
    await clock.until(lying.caughtUp());
    expect(clock.monotonic() - started).toBe(1000);
  });

  it('waits for nothing that no cache will show: dry runs, other namespaces, other selections, other kinds', async () => {
    const { writes, client, set, clock } = await start({ caches: (plane) => plane.client });
    const other = set.acquire(kinds.Secret, { namespace: 'kube-system' });
    const selected = set.acquire(kinds.Secret, { labelSelector: 'app=web' });
    await clock.until(Promise.all([other.informer.synced(), selected.informer.synced()]));
    await client.create(kinds.ConfigMap, { metadata: key }, { dryRun: true });
    expect(writes.outstanding).toBe(0);
    await client.create(kinds.Secret, { metadata: key });
    await client.create(kinds.ServiceAccount, { metadata: key });
    expect(writes.outstanding).toBe(2);
    await writes.caughtUp();
    expect(writes.outstanding).toBe(0);
  });

  it('gives up with the signal', async () => {
    const { writes, client } = await start();
    await client.create(kinds.ConfigMap, { metadata: key });
    const controller = new AbortController();
    const waiting = writes.caughtUp(controller.signal);
    controller.abort(new Error('no time'));
    await expect(waiting).rejects.toThrow('no time');
  });
});
