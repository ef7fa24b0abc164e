import type { Clock } from '@tektite/meta';

/** Something that should not take longer than it may. */
export interface Watched {
  readonly key: string;
  readonly startedAt: number;
}

/**
 * Calls out when work takes too long. All get the same time, so the oldest is always the next to run out of it, and one
 * timer is enough for any number.
 */
export class Watchdog<W extends Watched> implements Disposable {
  private readonly clock: Clock;
  private readonly limitMs: number;
  private readonly onLate: (work: W) => void;
  /** In the order they began; those that were called out are taken out. */
  private readonly running = new Set<W>();
  private timer: Disposable | undefined;

  constructor(clock: Clock, limitMs: number, onLate: (work: W) => void) {
    this.clock = clock;
    this.limitMs = limitMs;
    this.onLate = onLate;
  }

  begin(work: W): void {
    this.running.add(work);
    if (!this.timer) this.arm();
  }

  end(work: W): void {
    this.running.delete(work);
    // The timer stays: it finds the next one, or nothing. Setting one per piece of work would cost more than the work.
  }

  [Symbol.dispose](): void {
    this.timer?.[Symbol.dispose]();
    this.timer = undefined;
    this.running.clear();
  }

  private arm(): void {
    const [oldest] = this.running;
    this.timer = undefined;
    if (!oldest) return;
    const left = oldest.startedAt + this.limitMs - this.clock.monotonic();
    this.timer = this.clock.setTimer(Math.max(0, left), () => this.check());
  }

  private check(): void {
    const now = this.clock.monotonic();
    for (const work of this.running) {
      if (work.startedAt + this.limitMs > now) break;
      this.running.delete(work);
      this.onLate(work);
    }
    this.arm();
  }
}
