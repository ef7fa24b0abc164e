import { seededRandom } from '@tektite/meta';
import { virtualClock } from '@tektite/testkit';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { exponentialLimiter, maxOfLimiters, tokenBucketLimiter } from './rate-limiter.ts';
import { controllerQueue } from './rate-limiting-queue.ts';

describe('the back-off of a key', () => {
  it('doubles, never shrinks, stays within its limits and leaves other keys alone', () => {
    fc.assert(
      fc.property(fc.integer(), fc.double({ min: 0, max: 0.5, noNaN: true }), (seed, jitter) => {
        const limiter = exponentialLimiter(seededRandom(seed), { firstMs: 5, maxMs: 1000, jitter });
        let before = 0;
        for (let count = 0; count < 100; count++) {
          const full = Math.min(1000, 5 * 2 ** count);
          const wait = limiter.next('a');
          expect(wait).toBeLessThanOrEqual(full);
          expect(wait).toBeGreaterThanOrEqual(full * (1 - jitter));
          if (full < 1000) expect(wait).toBeGreaterThanOrEqual(before);
          before = wait;
        }
        expect(limiter.retries('a')).toBe(100);
        expect(limiter.retries('b')).toBe(0);
        expect(limiter.next('b')).toBeLessThanOrEqual(5);
        limiter.forget('a');
        expect(limiter.next('a')).toBeLessThanOrEqual(5);
      }),
    );
  });
});

describe('the token bucket', () => {
  it('lets a burst pass, then so many a second, and fills again with time', async () => {
    const clock = virtualClock();
    const bucket = tokenBucketLimiter(clock, { perSecond: 10, burst: 3 });
    expect(Array.from({ length: 6 }, (_, i) => bucket.next(String(i)))).toEqual([0, 0, 0, 100, 200, 300]);
    await clock.advance(10_000);
    expect(Array.from({ length: 4 }, (_, i) => bucket.next(String(i)))).toEqual([0, 0, 0, 100]);
  });

  it('together with the back-off makes a key wait for the slower of the two', () => {
    const clock = virtualClock();
    const limiter = maxOfLimiters(
      exponentialLimiter(seededRandom(1), { firstMs: 50, jitter: 0 }),
      tokenBucketLimiter(clock, { perSecond: 10, burst: 2 }),
    );
    expect(['a', 'a', 'b', 'a'].map((key) => limiter.next(key))).toEqual([50, 100, 100, 200]);
    expect(limiter.retries('a')).toBe(3);
  });
});

describe('the queue of a controller', () => {
  it('brings a failing key back later and later, until it is forgotten', async () => {
    const clock = virtualClock();
    let retried = 0;
    const queue = controllerQueue({
      clock,
      random: seededRandom(3),
      backoff: { firstMs: 100, jitter: 0 },
      metrics: { retried: () => retried++ },
    });
    const waits: number[] = [];
    queue.add('a');
    for (let count = 0; count < 5; count++) {
      const started = clock.monotonic();
      const item = await clock.until(queue.get());
      waits.push(clock.monotonic() - started);
      queue.addRateLimited(item?.key ?? '');
      queue.done('a');
    }
    expect(waits).toEqual([0, 100, 200, 400, 800]);
    expect(queue.retries('a')).toBe(5);
    expect(retried).toBe(5);
    queue.forget('a');
    expect(queue.retries('a')).toBe(0);
    queue.shutdown();
    expect(clock.pendingTimers).toBe(0);
    expect(queue.addRateLimited('a')).toBe(0);
  });

  it('finishes all keys with failing workers, each key with one worker at a time', async () => {
    const plan = fc.array(
      fc.record({ key: fc.integer({ min: 0, max: 9 }), failures: fc.integer({ min: 0, max: 3 }) }),
      {
        maxLength: 20,
      },
    );
    await fc.assert(
      fc.asyncProperty(plan, fc.integer(), async (plan, seed) => {
        const clock = virtualClock();
        const queue = controllerQueue({ clock, random: seededRandom(seed) });
        const failuresLeft = new Map<string, number>();
        for (const { key, failures } of plan) {
          failuresLeft.set(`k${key}`, failures);
          queue.add(`k${key}`, { lane: failures % 2 ? 'bulk' : 'fresh' });
        }
        const working = new Set<string>();
        const finished = new Set<string>();
        const worker = async () => {
          for (let item = await queue.get(); item; item = await queue.get()) {
            const { key } = item;
            expect(working.has(key)).toBe(false);
            working.add(key);
            await new Promise<void>((resolve) => clock.setTimer(3, resolve));
            working.delete(key);
            const left = failuresLeft.get(key) ?? 0;
            failuresLeft.set(key, left - 1);
            if (left > 0) queue.addRateLimited(key);
            else {
              finished.add(key);
              queue.forget(key);
            }
            queue.done(key);
          }
        };
        const workers = [worker(), worker(), worker()];
        await clock.advance(60_000);
        expect(finished).toEqual(new Set(failuresLeft.keys()));
        await queue.drain();
        await Promise.all(workers);
        expect(clock.pendingTimers).toBe(0);
      }),
      { numRuns: 30 },
    );
  });
});
