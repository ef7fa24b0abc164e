import type { Transport } from '@tektite/client';
import type { Clock, Random } from '@tektite/meta';
import { settle } from './virtual-clock.ts';

export interface SimulatedProcessOptions {
  /** The time that all processes share. */
  readonly clock: Clock;
  readonly random: Random;
  /** How fast its clock runs: 1.1 is ten percent too fast. Default 1. */
  readonly rate?: number;
  /** How far ahead its wall clock is. Default 0. */
  readonly aheadMs?: number;
}

/**
 * A simulated process inside a test: its clock has its own speed, and it can be paused, as by a debugger or a machine
 * that swaps, or killed. While it is paused its timers do not fire and answers wait; when it resumes, everything that
 * waited happens in a random order, as no order is promised.
 *
 * Its program must use `clock` and `transport` for everything.
 */
export interface SimulatedProcess {
  readonly clock: Clock;
  /** Requests through it pause and die with the process. */
  transport(inner: Transport): Transport;
  /** Sets its wall clock forward, or back by a negative number. Timers and the monotonic clock do not notice. */
  jump(milliseconds: number): void;
  pause(): void;
  resume(): Promise<void>;
  /** As `kill -9`: nothing it started goes on, and nothing is reported. */
  kill(): void;
  readonly killed: boolean;
}

/**
 * @example
 * const process = simulatedProcess({ clock, random, rate: 0.95 });
 * const client = plane.clientFor(process.transport(plane.transport()), { clock: process.clock });
 * process.pause();
 * await clock.advance(60_000);
 * await process.resume();
 */
export function simulatedProcess(options: SimulatedProcessOptions): SimulatedProcess {
  const { clock: shared, random, rate = 1 } = options;
  let ahead = options.aheadMs ?? 0;
  let paused = false;
  let killed = false;
  let waiting: (() => void)[] = [];

  function whenRunning(action: () => void): void {
    if (killed) return;
    if (paused) waiting.push(action);
    else action();
  }

  const clock: Clock = {
    now: () => shared.now() + ahead,
    monotonic: () => shared.monotonic() * rate,
    setTimer(milliseconds, action) {
      let cancelled = false;
      const timer = shared.setTimer(milliseconds / rate, () =>
        whenRunning(() => {
          if (!cancelled) action();
        }),
      );
      return {
        [Symbol.dispose]() {
          cancelled = true;
          timer[Symbol.dispose]();
        },
      };
    },
  };

  /** Hands on what `promise` gives once the process runs. */
  function heard<T>(promise: Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      promise.then(
        (value) => whenRunning(() => resolve(value)),
        (error: Error) => whenRunning(() => reject(error)),
      );
    });
  }

  return {
    clock,
    transport: (inner) => ({
      request: (request) => (killed ? new Promise(() => {}) : heard(inner.request(request))),
      watch: (request) => (killed ? new Promise(() => {}) : heard(inner.watch(request))),
      stream: (request) => (killed ? new Promise(() => {}) : heard(inner.stream(request))),
      close: () => inner.close(),
    }),
    jump: (milliseconds) => {
      ahead += milliseconds;
    },
    pause: () => {
      paused = true;
    },
    async resume() {
      paused = false;
      const actions = waiting;
      waiting = [];
      while (actions.length > 0 && !killed) {
        actions.splice(Math.floor(random.next() * actions.length), 1)[0]?.();
        await settle(1);
      }
    },
    kill: () => {
      killed = true;
      waiting = [];
    },
    get killed() {
      return killed;
    },
  };
}
