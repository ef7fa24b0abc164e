import type { Clock } from '@tektite/meta';
import { CauseCollector } from './causes.ts';
import { FairLanes, type Lane } from './fair-lanes.ts';
import type { QueueGauges, QueueMetrics } from './queue-metrics.ts';
import type { AddOptions, Queue, WorkItem } from './queue.ts';

export interface WorkQueueOptions {
  readonly clock: Clock;
  readonly metrics?: QueueMetrics;
  /** How many fresh keys may go before a bulk key that waits. Default 8. */
  readonly patience?: number;
  /** How many different causes are kept per key. Default 32. */
  readonly maxCauses?: number;
}

/** The state of a key that was added and not yet taken. */
interface Pending {
  readonly causes: CauseCollector;
  /** When it began to wait; for one that is worked on, when it was added. */
  since: number;
  lane: Lane;
}

interface Waiter {
  give(item: WorkItem | undefined): void;
}

/**
 * The innermost queue: de-duplicating, one worker per key, fair between fresh and bulk keys.
 * The promises are those of {@link Queue} and {@link FairLanes}.
 *
 * @example
 * const queue = new WorkQueue({ clock: systemClock });
 * queue.add('default/web', { cause: { kind: 'Pod', object: 'default/web-1', change: 'modified' } });
 * for (let item = await queue.get(signal); item; item = await queue.get(signal)) {
 *   try { await work(item.key, item.causes); } finally { queue.done(item.key); }
 * }
 */
export class WorkQueue implements Queue {
  private readonly options: WorkQueueOptions;
  private readonly lanes: FairLanes;
  /** Added and not taken; also those that are worked on and came again, which are in no lane. */
  private readonly pending = new Map<string, Pending>();
  /** Since when each is worked on. */
  private readonly processing = new Map<string, number>();
  private readonly waiters = new Set<Waiter>();
  private closing: 'no' | 'draining' | 'shut' = 'no';
  private readonly drained = new Set<() => void>();

  constructor(options: WorkQueueOptions) {
    this.options = options;
    this.lanes = new FairLanes(options.patience);
    options.metrics?.observe?.(() => this.gauges());
  }

  get size(): number {
    return this.lanes.size;
  }

  get isShutDown(): boolean {
    return this.closing !== 'no';
  }

  add(key: string, { lane = 'fresh', cause, causes }: AddOptions = {}): void {
    if (this.closing !== 'no') return;
    let entry = this.pending.get(key);
    if (!entry) {
      entry = { causes: new CauseCollector(this.options.maxCauses), since: this.now(), lane };
      this.pending.set(key, entry);
      this.options.metrics?.added?.(lane);
    } else if (lane === 'fresh') entry.lane = lane;
    if (cause) entry.causes.add(cause);
    if (causes) entry.causes.addAll(causes);
    if (this.processing.has(key)) return;
    this.lanes.add(key, entry.lane);
    this.serve();
  }

  get(signal?: AbortSignal): Promise<WorkItem | undefined> {
    return new Promise((resolve, reject) => {
      if (signal?.aborted) {
        reject(signal.reason as Error);
        return;
      }
      const abort = () => {
        this.waiters.delete(waiter);
        reject(signal?.reason as Error);
      };
      const waiter: Waiter = {
        give: (item) => {
          signal?.removeEventListener('abort', abort);
          resolve(item);
        },
      };
      signal?.addEventListener('abort', abort, { once: true });
      this.waiters.add(waiter);
      this.serve();
    });
  }

  done(key: string): void {
    const since = this.processing.get(key);
    if (since === undefined) return;
    this.processing.delete(key);
    this.options.metrics?.worked?.(this.now() - since);
    const again = this.pending.get(key);
    if (again) this.lanes.add(key, again.lane);
    this.serve();
  }

  shutdown(): void {
    this.closing = 'shut';
    this.lanes.clear();
    this.pending.clear();
    this.serve();
  }

  drain(signal?: AbortSignal): Promise<void> {
    if (signal?.aborted) {
      this.shutdown();
      return Promise.reject(signal.reason as Error);
    }
    if (this.closing === 'no') this.closing = 'draining';
    return new Promise((resolve, reject) => {
      const finish = () => {
        signal?.removeEventListener('abort', abort);
        resolve();
      };
      const abort = () => {
        this.drained.delete(finish);
        this.shutdown();
        reject(signal?.reason as Error);
      };
      signal?.addEventListener('abort', abort, { once: true });
      this.drained.add(finish);
      this.serve();
    });
  }

  /** Matches waiting workers with waiting keys; rejects workers that wait in vain. */
  private serve(): void {
    for (const waiter of this.waiters) {
      const item = this.take();
      if (!item) break;
      this.waiters.delete(waiter);
      waiter.give(item);
    }
    // While keys are processed, one may come back: then waiting workers are still needed.
    const over = this.closing === 'shut' || (this.closing === 'draining' && this.pending.size === 0);
    if (over) for (const waiter of this.waiters) waiter.give(undefined);
    if (over) this.waiters.clear();
    if (!over || this.processing.size > 0) return;
    for (const finish of this.drained) finish();
    this.drained.clear();
  }

  private take(): WorkItem | undefined {
    const key = this.lanes.take();
    if (key === undefined) return undefined;
    const entry = this.pending.get(key);
    this.pending.delete(key);
    const now = this.now();
    this.processing.set(key, now);
    if (entry) this.options.metrics?.waited?.(now - entry.since);
    return { key, ...(entry?.causes.merged() ?? { causes: [], omitted: 0 }) };
  }

  private gauges(): QueueGauges {
    const now = this.now();
    let longestRunningMs = 0;
    let unfinishedMs = 0;
    for (const since of this.processing.values()) {
      longestRunningMs = Math.max(longestRunningMs, now - since);
      unfinishedMs += now - since;
    }
    return { depth: this.size, processing: this.processing.size, longestRunningMs, unfinishedMs };
  }

  private now(): number {
    return this.options.clock.monotonic();
  }
}
