const firstMs = 1000;
const maxMs = 300_000;

/**
 * The time until failed work on a host is tried again: a second, doubled with each failure, up to five minutes. The queue of the controller
 * cannot keep it, because each failure is written to the status of the host, and that write is an event which is reconciled at once.
 *
 * Other work, as another machine or another Secret, is tried at once.
 */
export class RetryDelay {
  private work = '';
  private delayMs = 0;
  private dueAt = 0;

  /** Records a failure. */
  failed(work: string, now: number): void {
    this.delayMs = this.work === work && this.delayMs > 0 ? Math.min(this.delayMs * 2, maxMs) : firstMs;
    this.work = work;
    this.dueAt = now + this.delayMs;
  }

  completed(): void {
    this.delayMs = 0;
  }

  /** Milliseconds until this work may be tried; 0 for work that did not fail. */
  remainingMs(work: string, now: number): number {
    return this.work === work && this.delayMs > 0 ? Math.max(0, this.dueAt - now) : 0;
  }
}
