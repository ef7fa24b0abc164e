/**
 * Time, passed in. Nothing outside this file reads the machine's clock or sets a timer, so a test can own time.
 */
export interface Clock {
  /** Milliseconds since the epoch. */
  now(): number;
  /** Milliseconds that never go back; for measuring. */
  monotonic(): number;
  /** Calls `action` once, after `milliseconds`; disposing what it returns cancels. Does not keep the process alive. */
  setTimer(milliseconds: number, action: () => void): Disposable;
}

/** The longest delay a Node timer takes; longer ones would fire at once. */
const maxTimer = 2 ** 31 - 1;

/** The machine's own clock. */
export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  setTimer(milliseconds, action) {
    const due = performance.now() + milliseconds;
    let timer: NodeJS.Timeout;
    const arm = () => {
      const left = Math.max(0, due - performance.now());
      timer = setTimeout(left > maxTimer ? arm : action, Math.min(left, maxTimer));
      timer.unref();
    };
    arm();
    return { [Symbol.dispose]: () => clearTimeout(timer) };
  },
};

/** Resolves after `milliseconds`; rejects with the signal's reason when it is aborted first. */
export function sleep(clock: Clock, milliseconds: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) {
      reject(signal.reason as Error);
      return;
    }
    const timer = clock.setTimer(milliseconds, () => {
      signal?.removeEventListener('abort', abort);
      resolve();
    });
    function abort(): void {
      timer[Symbol.dispose]();
      reject(signal?.reason as Error);
    }
    signal?.addEventListener('abort', abort, { once: true });
  });
}
