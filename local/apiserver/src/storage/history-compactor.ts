import type { Clock } from '@tektite/meta';
import type { Storage } from './storage.ts';

/** As long as kube-apiserver keeps the past: between one and two intervals. */
export const defaultCompactionIntervalMs: number = 5 * 60 * 1000;

/**
 * Forgets the past by time: at every interval, revisions that were older at the one before. So an idle store holds no objects
 * that were deleted, and watches and list continuations expire as they do on a real cluster.
 */
export class HistoryCompactor implements Disposable {
  private timer: Disposable;
  private readonly storage: Storage;
  private readonly clock: Clock;
  private readonly intervalMs: number;
  private readonly onError: (error: unknown) => void;

  constructor(storage: Storage, clock: Clock, intervalMs: number, onError: (error: unknown) => void) {
    this.storage = storage;
    this.clock = clock;
    this.intervalMs = intervalMs;
    this.onError = onError;
    this.timer = this.schedule();
  }

  [Symbol.dispose](): void {
    this.timer[Symbol.dispose]();
  }

  private schedule(): Disposable {
    const { revision } = this.storage;
    return this.clock.setTimer(this.intervalMs, () => {
      this.timer = this.schedule();
      // A full disk is reported by the storage itself, and the next interval tries again.
      this.storage.compact(revision).catch((error: unknown) => {
        if (!this.storage.problem) this.onError(error);
      });
    });
  }
}
