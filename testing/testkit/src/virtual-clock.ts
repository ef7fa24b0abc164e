import type { Clock } from '@tektite/meta';

/** Time that stands still until the test moves it. */
export interface VirtualClock extends Clock {
  /**
   * Moves time on, running what falls due, in order, and letting the program settle after each. A timer that is set
   * meanwhile runs too if it falls due within.
   */
  advance(milliseconds: number): Promise<void>;
  /**
   * Moves time from timer to timer until the promise settles, and gives its result. Fails when there is no timer left that
   * could help, or after `limit` milliseconds (default one day).
   */
  until<T>(promise: Promise<T>, limit?: number): Promise<T>;
  /** How many timers are set: nothing may be left behind when all is closed. */
  readonly pendingTimers: number;
}

interface Timer {
  readonly due: number;
  /** Timers of the same moment run in the order they were set. */
  readonly order: number;
  readonly action: () => void;
}

export interface VirtualClockOptions {
  /** Lets the program come to rest after each timer. Default: some turns of the event loop. */
  readonly settle?: () => Promise<void>;
}

const oneDay = 24 * 60 * 60 * 1000;

/**
 * @example
 * const clock = virtualClock();
 * const done = sleep(clock, 60_000);
 * await clock.advance(60_000);
 * await done;
 */
export function virtualClock(
  start: number = Date.parse('2026-01-01T00:00:00Z'),
  { settle: rest = settle }: VirtualClockOptions = {},
): VirtualClock {
  const timers = new Set<Timer>();
  let now = start;
  let order = 0;

  function nextTimer(): Timer | undefined {
    let first: Timer | undefined;
    for (const timer of timers)
      if (!first || timer.due < first.due || (timer.due === first.due && timer.order < first.order)) first = timer;
    return first;
  }

  async function run(timer: Timer): Promise<void> {
    now = Math.max(now, timer.due);
    timers.delete(timer);
    timer.action();
    await rest();
  }

  return {
    now: () => now,
    monotonic: () => now - start,
    setTimer(milliseconds, action) {
      const timer = { due: now + Math.max(0, milliseconds), order: order++, action };
      timers.add(timer);
      return { [Symbol.dispose]: () => void timers.delete(timer) };
    },
    async advance(milliseconds) {
      const end = now + milliseconds;
      await rest();
      for (let timer = nextTimer(); timer && timer.due <= end; timer = nextTimer()) await run(timer);
      now = end;
    },
    async until(promise, limit = oneDay) {
      const end = now + limit;
      let settled = false;
      const mark = () => {
        settled = true;
      };
      promise.then(mark, mark);
      await rest();
      while (!settled) {
        const timer = nextTimer();
        if (!timer) throw new Error('the promise did not settle, and no timer is set that could make it');
        if (timer.due > end) throw new Error(`the promise did not settle within ${limit} ms of virtual time`);
        await run(timer);
      }
      return promise;
    },
    get pendingTimers() {
      return timers.size;
    },
  };
}

/** How many turns of the event loop work in progress gets to come to rest. In process, a few are plenty. */
const settleTurns = 10;

/** Lets promises and the event loop come to rest. */
export async function settle(turns: number = settleTurns): Promise<void> {
  for (let i = 0; i < turns; i++) await new Promise<void>((resolve) => setImmediate(resolve));
}
