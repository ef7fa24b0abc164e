import { getEventListeners } from 'node:events';
import { virtualClock } from '@tektite/testkit';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { QueueGauges } from './queue-metrics.ts';
import { WorkQueue } from './work-queue.ts';

const pod = (change: string, object = 'default/a') => ({ kind: 'Pod', object, change });

describe('the work queue', () => {
  it('gives a key once however often it was added, with all the causes', async () => {
    const queue = new WorkQueue({ clock: virtualClock() });
    queue.add('a', { cause: pod('added') });
    queue.add('a', { cause: pod('modified') });
    queue.add('a', { cause: pod('modified') });
    queue.add('b');
    expect(await queue.get()).toEqual({
      key: 'a',
      causes: [
        { ...pod('added'), count: 1 },
        { ...pod('modified'), count: 2 },
      ],
      omitted: 0,
    });
    expect(await queue.get()).toEqual({ key: 'b', causes: [], omitted: 0 });
    expect(queue.size).toBe(0);
  });

  it('keeps a bounded number of causes and counts the rest', async () => {
    const queue = new WorkQueue({ clock: virtualClock(), maxCauses: 2 });
    for (let i = 0; i < 1000; i++) queue.add('a', { cause: pod('modified', `default/${i % 500}`) });
    const item = await queue.get();
    expect(item?.causes.map(({ object, count }) => [object, count])).toEqual([
      ['default/0', 2],
      ['default/1', 2],
    ]);
    expect(item?.omitted).toBe(996);
  });

  it('gives a key that was added while it was worked on once more, after that', async () => {
    const queue = new WorkQueue({ clock: virtualClock() });
    queue.add('a', { cause: pod('added') });
    await queue.get();
    queue.add('a', { cause: pod('modified') });
    queue.add('a', { cause: pod('deleted') });
    expect(queue.size).toBe(0);
    const next = queue.get();
    queue.done('a');
    expect((await next)?.causes.map(({ change }) => change)).toEqual(['modified', 'deleted']);
    queue.done('a');
    expect(queue.size).toBe(0);
  });

  it('takes nothing for a reader that gave up, and leaves no listener', async () => {
    const queue = new WorkQueue({ clock: virtualClock() });
    const controller = new AbortController();
    const given = queue.get(controller.signal);
    controller.abort(new Error('enough'));
    await expect(given).rejects.toThrow('enough');
    await expect(queue.get(controller.signal)).rejects.toThrow('enough');
    const other = new AbortController();
    queue.add('a');
    expect((await queue.get(other.signal))?.key).toBe('a');
    expect(getEventListeners(other.signal, 'abort')).toEqual([]);
  });

  it('drops what waits when it is shut down', async () => {
    const queue = new WorkQueue({ clock: virtualClock() });
    queue.add('a');
    queue.add('b');
    await queue.get();
    queue.add('a');
    queue.shutdown();
    queue.add('c');
    expect(await queue.get()).toBeUndefined();
    queue.done('a');
    expect(await queue.get()).toBeUndefined();
    await queue.drain();
  });

  it('drains: gives out what waits and what came again, and nothing new', async () => {
    const queue = new WorkQueue({ clock: virtualClock() });
    queue.add('a');
    await queue.get();
    queue.add('a', { cause: pod('modified') });
    queue.add('b');
    let drained = false;
    const draining = queue.drain().then(() => {
      drained = true;
    });
    queue.add('c');
    expect((await queue.get())?.key).toBe('b');
    queue.done('b');
    const last = queue.get();
    const none = queue.get();
    queue.done('a');
    expect((await last)?.key).toBe('a');
    expect(await none).toBeUndefined();
    expect(drained).toBe(false);
    queue.done('a');
    await draining;
    expect(await queue.get()).toBeUndefined();
  });

  it('stops draining when that takes too long', async () => {
    const queue = new WorkQueue({ clock: virtualClock() });
    queue.add('a');
    await queue.get();
    queue.add('b');
    const controller = new AbortController();
    const draining = queue.drain(controller.signal);
    controller.abort(new Error('too long'));
    await expect(draining).rejects.toThrow('too long');
    expect(await queue.get()).toBeUndefined();
  });

  it('measures how long keys wait, how long they are processed, and which worker hangs', async () => {
    const clock = virtualClock();
    const delivered: unknown[] = [];
    let gauges = (): QueueGauges | undefined => undefined;
    const queue = new WorkQueue({
      clock,
      metrics: {
        added: (lane) => delivered.push(['added', lane]),
        waited: (ms) => delivered.push(['waited', ms]),
        worked: (ms) => delivered.push(['worked', ms]),
        observe: (read) => {
          gauges = read;
        },
      },
    });
    queue.add('a');
    queue.add('a');
    queue.add('b', { lane: 'bulk' });
    await clock.advance(10);
    await queue.get();
    await clock.advance(5);
    expect(gauges()).toEqual({ depth: 1, processing: 1, longestRunningMs: 5, unfinishedMs: 5 });
    queue.done('a');
    expect(delivered).toEqual([
      ['added', 'fresh'],
      ['added', 'bulk'],
      ['waited', 10],
      ['worked', 5],
    ]);
  });

  it('loses no key, and never gives a key to two workers, in any order of events', async () => {
    const key = fc.constantFrom('a', 'b', 'c', 'd');
    const step = fc.oneof(
      fc.record({ do: fc.constant('add' as const), key, lane: fc.constantFrom('fresh' as const, 'bulk' as const) }),
      fc.record({ do: fc.constant('get' as const) }),
      fc.record({ do: fc.constant('done' as const), key }),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 100 }), async (steps) => {
        const queue = new WorkQueue({ clock: virtualClock(), maxCauses: 1000 });
        /** How many causes each key was added with and not yet given. */
        const owed = new Map<string, number>();
        const working = new Set<string>();
        const take = async () => {
          const item = await queue.get();
          if (!item) return;
          expect(working.has(item.key)).toBe(false);
          working.add(item.key);
          expect(item.causes.reduce((sum, { count }) => sum + count, 0)).toBe(owed.get(item.key));
          owed.delete(item.key);
        };
        for (const step of steps) {
          if (step.do === 'add') {
            queue.add(step.key, { lane: step.lane, cause: pod('modified', step.key) });
            owed.set(step.key, (owed.get(step.key) ?? 0) + 1);
          } else if (step.do === 'done') {
            queue.done(step.key);
            working.delete(step.key);
          } else if (queue.size > 0) await take();
          expect(queue.size).toBe([...owed.keys()].filter((key) => !working.has(key)).length);
        }
        const draining = queue.drain();
        while (owed.size > 0) {
          for (const key of working) queue.done(key);
          working.clear();
          await take();
        }
        for (const key of working) queue.done(key);
        await draining;
        expect(await queue.get()).toBeUndefined();
      }),
    );
  });
});
