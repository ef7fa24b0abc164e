import { getEventListeners } from 'node:events';
import { type Client, kinds, mergePatch } from '@tektite/client';
import { seededRandom } from '@tektite/meta';
import type { ConfigMap } from '@tektite/schema/kubernetes';
import {
  type ControlPlane,
  type FaultRates,
  faultyTransport,
  httpsTransport,
  startControlPlane,
  type VirtualClock,
  virtualClock,
} from '@tektite/testkit';
import { describe, expect, it, onTestFinished } from 'vitest';
import { isControllerError } from '../controller-error.ts';
import { cacheKey, type CachedObject } from './cached-object.ts';
import { Informer, type InformerOptions } from './informer.ts';
import { metadataTransport } from './metadata-transport.ts';
import { project } from './transform.ts';

const settings = (name: string, level: string, labels: Record<string, string> = {}) => ({
  metadata: { namespace: 'default', name, labels },
  data: { level },
});

const selector = { namespace: 'default' };

/** Closed at the end of the test; then no timer may be left. */
async function startPlane(clock: VirtualClock): Promise<ControlPlane> {
  const plane = await startControlPlane({ clock });
  onTestFinished(async () => {
    await plane.close();
    expect(clock.pendingTimers).toBe(0);
  });
  return plane;
}

async function start<Out extends CachedObject = ConfigMap>(options: InformerOptions<ConfigMap, Out> = {}) {
  const clock = virtualClock();
  const plane = await startPlane(clock);
  await plane.client.create(kinds.ConfigMap, settings('a', 'info'));
  const informer = new Informer<ConfigMap, Out>(plane.client, kinds.ConfigMap, { ...selector, ...options });
  onTestFinished(() => informer.stop());
  return { clock, client: plane.client, informer };
}

/** Records the notifications of a handler. */
function listener(delivered: string[]) {
  return {
    added: ({ metadata }: CachedObject, { initial }: { initial: boolean }) =>
      void delivered.push(`added ${metadata.name}${initial ? ' (initial)' : ''}`),
    modified: ({ metadata }: CachedObject) => void delivered.push(`modified ${metadata.name}`),
    deleted: ({ metadata }: CachedObject, { finalStateKnown }: { finalStateKnown: boolean }) =>
      void delivered.push(`deleted ${metadata.name}${finalStateKnown ? '' : ' (unseen)'}`),
    resynced: ({ metadata }: CachedObject) => void delivered.push(`resynced ${metadata.name}`),
  };
}

async function write(client: Client, clock: VirtualClock, name: string, level: string): Promise<void> {
  await client.apply(kinds.ConfigMap, settings(name, level), { force: true });
  await clock.advance(1);
}

describe('the informer', () => {
  it('delivers a complete snapshot to each handler, then the changes, whenever it is added', async () => {
    const test = await start();
    const { informer, client, clock } = test;
    const early: string[] = [];
    const late: string[] = [];
    informer.addHandler(listener(early));
    await informer.start().synced();
    await write(client, clock, 'b', 'info');
    const registration = informer.addHandler(listener(late));
    await write(client, clock, 'b', 'debug');
    registration[Symbol.dispose]();
    await client.delete(kinds.ConfigMap, { namespace: 'default', name: 'b' });
    await clock.advance(1);
    expect(early).toEqual(['added a (initial)', 'added b', 'modified b', 'deleted b']);
    expect(late).toEqual(['added a (initial)', 'added b (initial)', 'modified b']);
    expect([...informer.store.keys()]).toEqual(['default/a']);
  });

  it('shows a handler in the store exactly the delivered object', async () => {
    const test = await start();
    const { informer, client, clock } = test;
    const levels: (string | undefined)[] = [];
    informer.addHandler({
      added: (object) => levels.push(informer.store.get(cacheKey(object.metadata)) === object ? 'same' : 'other'),
      modified: (object, before) =>
        levels.push(
          `${before.data?.['level']} to ${object.data?.['level']}`,
          informer.store.get('default/a')?.data?.['level'],
        ),
      deleted: (object) => levels.push(informer.store.get(cacheKey(object.metadata)) ? 'there' : 'gone'),
    });
    await informer.start().synced();
    await write(client, clock, 'a', 'debug');
    await client.delete(kinds.ConfigMap, { namespace: 'default', name: 'a' });
    await clock.advance(1);
    expect(levels).toEqual(['same', 'info to debug', 'debug', 'gone']);
  });

  it('does not let a handler that throws disturb the others', async () => {
    const errors: Error[] = [];
    const test = await start({ onError: (error) => errors.push(error) });
    const delivered: string[] = [];
    test.informer.addHandler({
      added: () => {
        throw new Error('broken');
      },
    });
    const late = async () => {
      await Promise.resolve();
      throw new Error('broken later');
    };
    test.informer.addHandler({ added: late as () => void });
    test.informer.addHandler(listener(delivered));
    await test.informer.start().synced();
    await test.clock.advance(1);
    expect(delivered).toEqual(['added a (initial)']);
    expect(errors.map((error) => isControllerError(error, 'HANDLER_FAILED'))).toEqual([true, true]);
  });

  it('delivers nothing twice to a handler that another one adds', async () => {
    const test = await start();
    const delivered: string[] = [];
    test.informer.addHandler({ added: () => void test.informer.addHandler(listener(delivered)) });
    await test.informer.start().synced();
    expect(delivered).toEqual(['added a (initial)']);
  });

  it('shows all objects again to handlers that ask for it', async () => {
    const test = await start();
    const delivered: string[] = [];
    await test.informer.start().synced();
    const registration = test.informer.addHandler(listener(delivered), { resyncMs: 60_000 });
    test.informer.addHandler(listener([]));
    await test.clock.advance(120_000);
    expect(delivered).toEqual(['added a (initial)', 'resynced a', 'resynced a']);
    registration[Symbol.dispose]();
    await test.clock.advance(120_000);
    expect(delivered).toHaveLength(3);
  });

  it('sees objects come into and leave a selection', async () => {
    const test = await start({ labelSelector: 'app=web', fieldSelector: 'metadata.name!=c' });
    const { client, clock, informer } = test;
    const delivered: string[] = [];
    informer.addHandler(listener(delivered));
    await informer.start().synced();
    for (const name of ['b', 'c']) await client.create(kinds.ConfigMap, settings(name, 'info', { app: 'web' }));
    const key = { namespace: 'default', name: 'b' };
    await client.patch(kinds.ConfigMap, key, mergePatch({ metadata: { labels: { app: 'api' } } }));
    await clock.advance(1);
    expect(delivered).toEqual(['added b', 'deleted b']);
  });

  it('stores what the transform leaves, frozen, and finds it by index', async () => {
    const test = await start({ transform: project(kinds.ConfigMap, { data: true }) });
    test.informer.addIndex('level', ({ data }) => (data?.['level'] ? [data['level']] : []));
    await test.informer.start().synced();
    await write(test.client, test.clock, 'b', 'debug');
    const [found] = test.informer.store.byIndex('level', 'debug');
    expect(Object.keys(found ?? {}).sort()).toEqual(['apiVersion', 'data', 'kind', 'metadata']);
    expect(Object.isFrozen(found) && Object.isFrozen(found?.data) && Object.isFrozen(found?.metadata)).toBe(true);
  });

  it('keeps the last good state of an object that the transform fails for, and is not healthy', async () => {
    const test = await start({
      transform: (object) => {
        if (object.data?.['level'] === 'bad') throw new Error('cannot');
        return object;
      },
    });
    await test.informer.start().synced();
    await write(test.client, test.clock, 'a', 'bad');
    expect(test.informer.store.get('default/a')?.data).toEqual({ level: 'info' });
    expect(test.informer.health()).toMatchObject({ healthy: false, failedObjects: ['default/a'] });
    await write(test.client, test.clock, 'a', 'good');
    expect(test.informer.store.get('default/a')?.data).toEqual({ level: 'good' });
    expect(test.informer.health()).toMatchObject({ healthy: true, failedObjects: [] });
  });

  it('watches metadata alone over a transport that asks for it', async () => {
    const clock = virtualClock();
    const plane = await startPlane(clock);
    await plane.client.create(kinds.ConfigMap, settings('a', 'info', { app: 'web' }));
    const client = plane.clientFor(metadataTransport(plane.transport()));
    const informer = new Informer(client, kinds.ConfigMap, selector).start();
    await informer.synced();
    await write(plane.client, clock, 'b', 'info');
    for (const key of ['default/a', 'default/b'])
      expect(Object.keys(informer.store.get(key) ?? {}).sort()).toEqual(['apiVersion', 'kind', 'metadata']);
    expect(informer.store.get('default/a')?.metadata.labels).toEqual({ app: 'web' });
    expect(await client.get(kinds.ConfigMap, { namespace: 'default', name: 'a' })).not.toHaveProperty('data');
    await informer.stop();
  });

  it('works over HTTPS as in process, with objects as frozen', async () => {
    const plane = await startControlPlane();
    onTestFinished(() => plane.close());
    const informer = new Informer(plane.clientFor(await httpsTransport(plane)), kinds.ConfigMap, selector).start();
    onTestFinished(() => informer.stop());
    await informer.synced();
    await plane.client.create(kinds.ConfigMap, settings('a', 'info'));
    await informer.waitFor(() => informer.store.get('default/a') !== undefined);
    const found = informer.store.get('default/a');
    expect(found?.data).toEqual({ level: 'info' });
    expect(Object.isFrozen(found) && Object.isFrozen(found?.data) && Object.isFrozen(found?.metadata)).toBe(true);
  });

  it('shows how old it may be, and that it is cut off', async () => {
    const clock = virtualClock();
    const plane = await startPlane(clock);
    const rates: FaultRates = { refuse: 1 };
    const fail = ({ refuse = 0, cut = 0 }: FaultRates) => Object.assign(rates, { refuse, cut });
    const transport = faultyTransport(plane.transport(), { clock, random: seededRandom(1), rates });
    const errors: Error[] = [];
    const informer = new Informer(plane.clientFor(transport, { maxRetries: 0 }), kinds.ConfigMap, {
      onError: (error) => errors.push(error),
    });
    expect(informer.health()).toMatchObject({ state: 'idle', synced: false, healthy: false, lagMs: undefined });
    informer.start();
    await clock.advance(5_000);
    expect(informer.health()).toMatchObject({ state: 'failing', synced: false, healthy: false });
    expect(informer.health().failures).toBe(errors.length);
    expect(informer.health().lastError?.message).toContain('refused');
    fail({});
    await clock.until(informer.synced());
    expect(informer.health()).toMatchObject({ state: 'watching', healthy: true, failures: 0, lagMs: 0 });
    expect(informer.health().lastEventAt).toBe(clock.now());
    await clock.advance(600_000);
    expect(informer.health()).toMatchObject({ state: 'watching', healthy: true });
    fail({ refuse: 1, cut: 1 });
    await write(plane.client, clock, 'a', 'info');
    await clock.advance(30_000);
    expect(informer.health()).toMatchObject({ state: 'failing', healthy: true });
    await clock.advance(60_000);
    expect(informer.health()).toMatchObject({ state: 'failing', synced: true, healthy: false });
    expect(informer.health().lagMs).toBeGreaterThan(60_000);
    fail({});
    await clock.advance(60_000);
    expect(informer.health()).toMatchObject({ state: 'watching', healthy: true });
    expect(informer.store.get('default/a')?.data).toEqual({ level: 'info' });
    await informer.stop();
    expect(informer.health()).toMatchObject({ state: 'stopped', healthy: false });
  });

  it('ends with stop: waiters are rejected, and no listener stays', async () => {
    const test = await start();
    const controller = new AbortController();
    const waiting = test.informer.synced(controller.signal);
    const refused = expect(waiting).rejects.toThrow('the informer was stopped');
    await test.informer.stop();
    await refused;
    expect(getEventListeners(controller.signal, 'abort')).toEqual([]);
    expect(() => test.informer.addHandler({})).toThrow('stopped');
    await expect(test.informer.start().synced()).rejects.toThrow('stopped');
    const impatient = new AbortController();
    impatient.abort(new Error('no time'));
    await expect(test.informer.synced(impatient.signal)).rejects.toThrow('no time');
  });
});

describe('an informer that is stopped', () => {
  it('at any moment, leaves nothing running', async () => {
    await using plane = await startControlPlane();
    for (let turns = 0; turns < 40; turns++) {
      const informer = new Informer(plane.client, kinds.ConfigMap);
      await informer.start().synced();
      for (let turn = 0; turn < turns; turn++) await Promise.resolve();
      const late = new Promise((resolve) => void setTimeout(resolve, 2000, `hangs after ${turns} turns`));
      expect(await Promise.race([informer.stop().then(() => 'stopped'), late])).toBe('stopped');
    }
  });
});
