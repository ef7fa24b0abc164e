import { setMaxListeners } from 'node:events';
import { isClientError } from '@tektite/client';
import { type Clock, isStatusError, sleep } from '@tektite/meta';
import { ControllerError } from '../controller-error.ts';

/**
 * The time from acquiring a lease to losing it. It ends at its deadline, unless that is extended.
 *
 * There are two moments. At the first (`lost`) no new work may start; at the second (`limit`) running work must stop.
 * When the lease expires they are the same. When it is released, running work may complete in between.
 */
export class Term {
  private readonly lostController = new AbortController();
  private readonly limitController = new AbortController();
  private readonly clock: Clock;
  private readonly underWay = new Set<Promise<unknown>>();
  private timer: Disposable | undefined;
  private deadline: number;
  private readonly arrivalMs: number;
  /** Until then, a write whose answer was lost may still arrive at the server. */
  private uncertainUntil = Number.NEGATIVE_INFINITY;

  /** `deadline` is in the clock's monotonic time; `arrivalMs` is how long a write on its way can take to arrive. */
  constructor(clock: Clock, deadline: number, arrivalMs: number) {
    this.clock = clock;
    this.deadline = deadline;
    this.arrivalMs = arrivalMs;
    // Every reconcile of its keys may listen.
    setMaxListeners(0, this.lostController.signal, this.limitController.signal);
    this.arm();
  }

  get lost(): AbortSignal {
    return this.lostController.signal;
  }

  /** Checks the clock too: read it again before each time-critical action. */
  get limit(): AbortSignal {
    if (!this.limitController.signal.aborted && !this.isInTime()) this.expire();
    return this.limitController.signal;
  }

  /** Checks the clock too: after a pause of the whole process, timers may be late. */
  holds(): boolean {
    return !this.lost.aborted && this.isInTime();
  }

  isInTime(): boolean {
    return !this.limitController.signal.aborted && this.clock.monotonic() < this.deadline;
  }

  /** A term that has ended stays so. */
  extend(deadline: number): void {
    if (this.isInTime()) this.deadline = Math.max(this.deadline, deadline);
  }

  /** Nothing new from now on. */
  close(reason: Error): void {
    this.lostController.abort(reason);
  }

  end(reason: Error): void {
    this.timer?.[Symbol.dispose]();
    this.lostController.abort(reason);
    this.limitController.abort(reason);
  }

  async guard<T>(write: (limit: () => AbortSignal) => Promise<T>): Promise<T> {
    if (!this.holds()) throw fenced(this.lost.reason);
    const answer = write(() => this.limit);
    this.underWay.add(answer);
    try {
      return await answer;
    } catch (error) {
      if (mayHaveArrived(error)) this.uncertainUntil = this.clock.monotonic() + this.arrivalMs;
      throw error;
    } finally {
      this.underWay.delete(answer);
    }
  }

  /** Resolves when all started work has ended, and no request can arrive any more. */
  async settled(signal?: AbortSignal): Promise<void> {
    while (this.underWay.size > 0) await Promise.allSettled(this.underWay);
    const left = this.uncertainUntil - this.clock.monotonic();
    if (left > 0) await sleep(this.clock, left, signal);
  }

  private arm(): void {
    // Timers can be a hair early: never less than a millisecond, so that time passes.
    this.timer = this.clock.setTimer(Math.max(1, this.deadline - this.clock.monotonic()), () => {
      if (this.isInTime()) this.arm();
      else this.expire();
    });
  }

  private expire(): void {
    this.end(new ControllerError('LEASE_LOST', 'the lease could not be renewed in time'));
  }
}

/** For a write that came too late. */
export function fenced(cause: unknown): ControllerError {
  return new ControllerError('WRITE_FENCED', 'a write was refused: the object is no longer this process’s to change', {
    cause,
  });
}

/** Whether a failed write may have succeeded nevertheless: the answer was lost, or not awaited. */
export function mayHaveArrived(error: unknown): boolean {
  return !isStatusError(error) && !isClientError(error, 'CONNECTION_REFUSED', 'HOST_UNREACHABLE', 'CLOSED');
}
