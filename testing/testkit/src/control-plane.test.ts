import { kinds } from '@tektite/client';
import { seededRandom } from '@tektite/meta';
import { describe, expect, it } from 'vitest';
import { httpsTransport, startControlPlane } from './control-plane.ts';
import { faultyTransport } from './faulty-transport.ts';
import { virtualClock } from './virtual-clock.ts';

const object = { metadata: { namespace: 'default', name: 'a' } };

describe('a control plane in a test', () => {
  it('serves in process, and over HTTPS as the same administrator', async () => {
    await using plane = await startControlPlane();
    await plane.client.create(kinds.ConfigMap, object);
    const overHttps = plane.clientFor(await httpsTransport(plane));
    expect(await overHttps.get(kinds.ConfigMap, object.metadata)).toMatchObject(object);
  });

  it('lives in the time of its clock', async () => {
    const clock = virtualClock(Date.parse('2030-05-06T07:08:09Z'));
    await using plane = await startControlPlane({ clock });
    const first = await plane.client.create(kinds.ConfigMap, object);
    expect(first.metadata.creationTimestamp).toBe('2030-05-06T07:08:09Z');
    await clock.advance(60_000);
    const second = await plane.client.create(kinds.ConfigMap, { metadata: { namespace: 'default', name: 'b' } });
    expect(second.metadata.creationTimestamp).toBe('2030-05-06T07:09:09Z');
  });

  it('repeats itself for a seed', async () => {
    const names = async (seed: number) => {
      await using plane = await startControlPlane({ seed, clock: virtualClock() });
      const created = await plane.client.create(kinds.ConfigMap, {
        metadata: { namespace: 'default', generateName: 'x-' },
      });
      return [created.metadata.name, created.metadata.uid];
    };
    expect(await names(7)).toEqual(await names(7));
    expect(await names(7)).not.toEqual(await names(8));
  });

  it('leaves no timer behind', async () => {
    const clock = virtualClock();
    const plane = await startControlPlane({ clock });
    await plane.client.watch(kinds.ConfigMap);
    await plane.close();
    expect(clock.pendingTimers).toBe(0);
  });
});

describe('a transport with faults', () => {
  it('fails the same way for the same seed', async () => {
    const run = async (seed: number) => {
      await using plane = await startControlPlane({ clock: virtualClock() });
      const transport = faultyTransport(plane.transport(), {
        random: seededRandom(seed),
        clock: plane.clock,
        rates: { refuse: 0.2, lose: 0.2, overload: 0.2 },
      });
      const client = plane.clientFor(transport, { maxRetries: 0 });
      const outcomes: string[] = [];
      for (let i = 0; i < 30; i++) {
        await client.create(kinds.ConfigMap, { metadata: { namespace: 'default', name: `n-${i}` } }).then(
          () => outcomes.push('ok'),
          (error: { code: string }) => outcomes.push(String(error.code)),
        );
      }
      return { outcomes, faults: transport.faults };
    };
    const first = await run(3);
    expect(await run(3)).toEqual(first);
    expect(new Set(first.outcomes)).toEqual(new Set(['ok', 'CONNECTION_RESET', '429']));
  });

  it('loses answers to what was done', async () => {
    await using plane = await startControlPlane();
    const transport = faultyTransport(plane.transport(), {
      random: plane.random,
      clock: plane.clock,
      rates: { lose: 1 },
    });
    const client = plane.clientFor(transport);
    await expect(client.create(kinds.ConfigMap, object)).rejects.toMatchObject({ code: 'CONNECTION_RESET' });
    expect(await plane.client.get(kinds.ConfigMap, object.metadata)).toMatchObject(object);
    transport.heal();
    expect(await client.get(kinds.ConfigMap, object.metadata)).toMatchObject(object);
  });

  it('makes updates conflict', async () => {
    await using plane = await startControlPlane();
    const created = await plane.client.create(kinds.ConfigMap, object);
    const rates = { conflict: 1 };
    const client = plane.clientFor(
      faultyTransport(plane.transport(), { random: plane.random, clock: plane.clock, rates }),
    );
    await expect(client.update(created)).rejects.toMatchObject({
      code: 409,
      message: expect.stringContaining('Operation cannot be fulfilled on configmaps "a"'),
    });
  });
});
