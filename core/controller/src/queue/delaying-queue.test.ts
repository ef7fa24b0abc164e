import { virtualClock } from '@tektite/testkit';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { DelayingQueue } from './delaying-queue.ts';
import { WorkQueue } from './work-queue.ts';

function start() {
  const clock = virtualClock();
  return { clock, queue: new DelayingQueue(new WorkQueue({ clock }), clock) };
}

const timer = (object: string) => ({ kind: 'Pod', object, change: 'timer' });

describe('the delaying queue', () => {
  it('adds a key at its time, not before', async () => {
    const { clock, queue } = start();
    queue.addAfter('a', 1000);
    await clock.advance(999);
    expect(queue.size).toBe(0);
    await clock.advance(1);
    expect(queue.size).toBe(1);
    queue.addAfter('b', 0);
    expect(queue.size).toBe(2);
  });

  it('adds a key that was put off twice once, at the earlier time, with both causes', async () => {
    const { clock, queue } = start();
    queue.addAfter('a', 1000, { cause: timer('x'), lane: 'bulk' });
    queue.addAfter('a', 10, { cause: timer('y') });
    queue.addAfter('a', 5000, { cause: timer('z') });
    await clock.advance(10);
    expect((await queue.get())?.causes.map(({ object }) => object)).toEqual(['x', 'y', 'z']);
    queue.done('a');
    await clock.advance(10_000);
    expect(queue.size).toBe(0);
  });

  it('needs one timer for ten thousand keys, and none when they are dropped', () => {
    const { clock, queue } = start();
    for (let i = 0; i < 10_000; i++) queue.addAfter(String(i), 1 + ((i * 7919) % 10_000));
    expect(queue.delayedSize).toBe(10_000);
    expect(clock.pendingTimers).toBe(1);
    queue.shutdown();
    expect(clock.pendingTimers).toBe(0);
    queue.addAfter('late', 5);
    expect(clock.pendingTimers).toBe(0);
  });

  it('releases a key whose time is no whole number of milliseconds', async () => {
    const { clock, queue } = start();
    for (let i = 1; i <= 100; i++) queue.addAfter(String(i), i / 7);
    await clock.advance(100);
    expect(queue.size).toBe(100);
  });

  it('does not wait for what was put off when it drains', async () => {
    const { clock, queue } = start();
    queue.addAfter('later', 1000);
    queue.add('now');
    const draining = queue.drain();
    expect((await queue.get())?.key).toBe('now');
    queue.done('now');
    await draining;
    expect(clock.pendingTimers).toBe(0);
  });

  it('releases every key exactly at the earliest of its times, whatever was put off when', async () => {
    const put = fc.record({ key: fc.constantFrom('a', 'b', 'c', 'd', 'e'), wait: fc.integer({ min: 1, max: 50 }) });
    await fc.assert(
      fc.asyncProperty(fc.array(put, { maxLength: 30 }), async (puts) => {
        const { clock, queue } = start();
        const due = new Map<string, number>();
        for (const { key, wait } of puts) {
          queue.addAfter(key, wait);
          due.set(key, Math.min(due.get(key) ?? wait, wait));
        }
        while (due.size > 0) {
          const next = Math.min(...due.values());
          await clock.advance(next - clock.monotonic());
          const expected = [...due].filter(([, at]) => at === next).map(([key]) => key);
          expect(queue.size).toBe(expected.length);
          for (const _ of expected) {
            const item = await queue.get();
            expect(expected).toContain(item?.key);
            due.delete(item?.key ?? '');
          }
        }
        expect(clock.pendingTimers).toBe(0);
      }),
      { numRuns: 50 },
    );
  });
});
