import type { Clock } from '@tektite/meta';
import { CauseCollector } from './causes.ts';
import { type Due, DueHeap } from './due-heap.ts';
import type { Lane } from './fair-lanes.ts';
import type { AddOptions, Queue, WorkItem } from './queue.ts';

interface Delayed extends Due {
  lane: Lane;
  readonly causes: CauseCollector;
}

/**
 * A queue to which keys can be added later.
 *
 * Guarantees
 * - A key delayed until t is added to the queue below at t, or as soon after as the clock's timer runs.
 * - A key that is delayed more than once is added once, at the earliest of its times, with the causes of all of them,
 *   and as fresh if one of them was.
 * - `add` does not wait, and does not cancel a delay: that key is then added again at its time.
 * - There is one timer for all keys, and none when no key is delayed or after `shutdown` and `drain`.
 *
 * Delayed keys are dropped when the queue shuts down or drains.
 */
export class DelayingQueue implements Queue {
  private readonly inner: Queue;
  private readonly clock: Clock;
  private readonly heap = new DueHeap<Delayed>();
  private readonly delayed = new Map<string, Delayed>();
  private timer: { readonly due: number; readonly handle: Disposable } | undefined;
  private order = 0;

  constructor(inner: Queue, clock: Clock) {
    this.inner = inner;
    this.clock = clock;
  }

  /** How many keys are put off. */
  get delayedSize(): number {
    return this.heap.size;
  }

  get size(): number {
    return this.inner.size;
  }

  get isShutDown(): boolean {
    return this.inner.isShutDown;
  }

  /** Adds a key after so long; at once when that is no time at all. */
  addAfter(key: string, milliseconds: number, options: AddOptions = {}): void {
    if (this.isShutDown) return;
    if (!(milliseconds > 0)) {
      this.add(key, options);
      return;
    }
    const due = this.clock.monotonic() + milliseconds;
    const { lane = 'fresh', cause, causes } = options;
    let entry = this.delayed.get(key);
    if (entry) {
      if (due < entry.due) this.heap.hurry(entry, due);
      if (lane === 'fresh') entry.lane = lane;
    } else {
      entry = { key, due, order: this.order++, position: 0, lane, causes: new CauseCollector() };
      this.delayed.set(key, entry);
      this.heap.push(entry);
    }
    if (cause) entry.causes.add(cause);
    if (causes) entry.causes.addAll(causes);
    this.arm();
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
    this.dropDelayed();
    this.inner.shutdown();
  }

  drain(signal?: AbortSignal): Promise<void> {
    this.dropDelayed();
    return this.inner.drain(signal);
  }

  private dropDelayed(): void {
    this.heap.clear();
    this.delayed.clear();
    this.arm();
  }

  /** Sees to it that the timer runs when the first key falls due. */
  private arm(): void {
    const due = this.heap.first()?.due;
    if (this.timer?.due === due) return;
    this.timer?.handle[Symbol.dispose]();
    this.timer = undefined;
    if (due === undefined) return;
    const wait = Math.max(0, due - this.clock.monotonic());
    this.timer = { due, handle: this.clock.setTimer(wait, () => this.release()) };
  }

  private release(): void {
    // A timer may run a hair before its time by the clock; setting it again for the rest could go on for ever.
    const now = Math.max(this.clock.monotonic(), this.timer?.due ?? 0);
    this.timer = undefined;
    for (let entry = this.heap.first(); entry && entry.due <= now; entry = this.heap.first()) {
      this.heap.pop();
      this.delayed.delete(entry.key);
      this.inner.add(entry.key, { lane: entry.lane, causes: entry.causes.merged() });
    }
    this.arm();
  }
}
