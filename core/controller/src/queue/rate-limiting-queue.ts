import { type Clock, type Random, systemClock, systemRandom } from '@tektite/meta';
import { DelayingQueue } from './delaying-queue.ts';
import type { QueueMetrics } from './queue-metrics.ts';
import type { AddOptions, Queue, WorkItem } from './queue.ts';
import {
  exponentialLimiter,
  type ExponentialOptions,
  maxOfLimiters,
  type RateLimiter,
  tokenBucketLimiter,
  type TokenBucketOptions,
} from './rate-limiter.ts';
import { WorkQueue, type WorkQueueOptions } from './work-queue.ts';

/**
 * A queue that decides itself how long a failed key is put off.
 *
 * Guarantees: `addRateLimited` adds the key no sooner than its limiter says. `forget` does not take back what was put off,
 * and does not end the work: it only makes the next wait a short one again. `done` is still needed.
 *
 * @example
 * const item = await queue.get(signal);
 * try {
 *   await reconcile(item.key);
 *   queue.forget(item.key);
 * } catch {
 *   queue.addRateLimited(item.key);
 * } finally {
 *   queue.done(item.key);
 * }
 */
export class RateLimitingQueue implements Queue {
  private readonly inner: DelayingQueue;
  private readonly limiter: RateLimiter;
  private readonly metrics: QueueMetrics | undefined;

  constructor(inner: DelayingQueue, limiter: RateLimiter, metrics?: QueueMetrics) {
    this.inner = inner;
    this.limiter = limiter;
    this.metrics = metrics;
  }

  get size(): number {
    return this.inner.size;
  }

  get delayedSize(): number {
    return this.inner.delayedSize;
  }

  get isShutDown(): boolean {
    return this.inner.isShutDown;
  }

  /** Adds the key when its limiter allows it. Returns how long that is. */
  addRateLimited(key: string, options?: AddOptions): number {
    if (this.isShutDown) return 0;
    const wait = this.limiter.next(key);
    this.metrics?.retried?.();
    this.inner.addAfter(key, wait, options);
    return wait;
  }

  forget(key: string): void {
    this.limiter.forget(key);
  }

  /** How often the key was put off since it was last forgotten. */
  retries(key: string): number {
    return this.limiter.retries(key);
  }

  addAfter(key: string, milliseconds: number, options?: AddOptions): void {
    this.inner.addAfter(key, milliseconds, options);
  }

  add(key: string, options?: AddOptions): void {
    this.inner.add(key, options);
  }

  get(signal?: AbortSignal): Promise<WorkItem | undefined> {
    return this.inner.get(signal);
  }

  done(key: string): void {
    this.inner.done(key);
  }

  shutdown(): void {
    this.inner.shutdown();
  }

  drain(signal?: AbortSignal): Promise<void> {
    return this.inner.drain(signal);
  }
}

export interface ControllerQueueOptions extends Omit<WorkQueueOptions, 'clock'> {
  readonly clock?: Clock;
  readonly random?: Random;
  readonly backoff?: ExponentialOptions;
  readonly bucket?: TokenBucketOptions;
}

/** All layers, with the limits that upstream's controllers have: 5 ms to 1000 s per key, 10 a second over all keys. */
export function controllerQueue(options: ControllerQueueOptions = {}): RateLimitingQueue {
  const { clock = systemClock, random = systemRandom, backoff, bucket, metrics, ...rest } = options;
  const inner = new WorkQueue({ ...rest, clock, ...(metrics ? { metrics } : {}) });
  const limiter = maxOfLimiters(exponentialLimiter(random, backoff), tokenBucketLimiter(clock, bucket));
  return new RateLimitingQueue(new DelayingQueue(inner, clock), limiter, metrics);
}
