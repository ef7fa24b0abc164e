import { setMaxListeners } from 'node:events';
import type { Clock } from '@tektite/meta';

/**
 * The life of one request: it ends with the caller's signal, its timeout, too long a silence, or the end of the
 * transport. Whatever error the network then reports, the first of these is the reason.
 */
export class RequestScope implements Disposable {
  private readonly controller = new AbortController();
  private readonly clock: Clock;
  private readonly outer: AbortSignal | undefined;
  private deadline: Disposable | undefined;
  private silence: Disposable | undefined;
  private lastActivity = 0;
  private readonly onOuterAbort = () => this.end(this.outer?.reason);

  constructor(clock: Clock, outer: AbortSignal | undefined) {
    this.clock = clock;
    this.outer = outer;
    if (outer?.aborted) this.end(outer.reason);
    else if (outer) {
      // One signal may end hundreds of requests; that is no leak to warn about.
      setMaxListeners(0, outer);
      outer.addEventListener('abort', this.onOuterAbort, { once: true });
    }
  }

  get signal(): AbortSignal {
    return this.controller.signal;
  }

  end(reason: unknown): void {
    this.controller.abort(reason);
    this[Symbol.dispose]();
  }

  /** Ends the request after that long, whatever happens. */
  limitTime(milliseconds: number, makeError: () => Error): void {
    if (milliseconds > 0 && !this.signal.aborted)
      this.deadline = this.clock.setTimer(milliseconds, () => this.end(makeError()));
  }

  unlimitTime(): void {
    this.deadline?.[Symbol.dispose]();
  }

  /** Ends the request when {@link touch} was not called for that long. */
  limitSilence(milliseconds: number, makeError: () => Error): void {
    if (milliseconds <= 0 || this.signal.aborted) return;
    this.touch();
    const arm = (wait: number) => {
      this.silence = this.clock.setTimer(wait, () => {
        const left = this.lastActivity + milliseconds - this.clock.monotonic();
        if (left > 0) arm(left);
        else this.end(makeError());
      });
    };
    arm(milliseconds);
  }

  touch(): void {
    this.lastActivity = this.clock.monotonic();
  }

  /** Why a piece of work inside this scope failed. */
  explain(error: unknown, otherwise: (error: unknown) => Error): Error {
    return this.signal.aborted ? (this.signal.reason as Error) : otherwise(error);
  }

  [Symbol.dispose](): void {
    this.outer?.removeEventListener('abort', this.onOuterAbort);
    this.deadline?.[Symbol.dispose]();
    this.silence?.[Symbol.dispose]();
  }
}
