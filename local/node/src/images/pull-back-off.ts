import type { Clock } from '@tektite/meta';
import { firstBackOffMs, longestBackOffMs } from '../container/restart-policy.ts';

interface Entry {
  readonly delayMs: number;
  readonly updatedAt: number;
  readonly error: string;
}

/** How long pulls that failed have to wait, by Pod and image, as a kubelet counts: 10 s, doubled up to 5 min. */
export class PullBackOff {
  private readonly entries = new Map<string, Entry>();
  private readonly clock: Clock;

  constructor(clock: Clock) {
    this.clock = clock;
  }

  /** The end of the wait and the error that caused it; undefined when the image may be pulled now. */
  waiting(key: string): { readonly until: number; readonly error: string } | undefined {
    const entry = this.entries.get(key);
    const until = entry ? entry.updatedAt + entry.delayMs : 0;
    return entry && this.clock.now() < until ? { until, error: entry.error } : undefined;
  }

  failed(key: string, error: string): void {
    const before = this.entries.get(key);
    const now = this.clock.now();
    // An image that was not tried for long starts again.
    const isFresh = before !== undefined && now - before.updatedAt <= 2 * longestBackOffMs;
    const delayMs = isFresh ? Math.min(before.delayMs * 2, longestBackOffMs) : firstBackOffMs;
    this.entries.set(key, { delayMs, updatedAt: now, error });
    this.removeOld(now);
  }

  succeeded(key: string): void {
    this.entries.delete(key);
  }

  private removeOld(now: number): void {
    for (const [key, { updatedAt }] of this.entries)
      if (now - updatedAt > 2 * longestBackOffMs) this.entries.delete(key);
  }
}
