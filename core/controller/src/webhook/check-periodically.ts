import { type Clock, sleep } from '@tektite/meta';

/** Calls `check` at a steady pace until the signal is aborted, one after the other; resolves then. */
export async function checkPeriodically(
  clock: Clock,
  everyMs: number,
  check: (signal: AbortSignal) => Promise<void>,
  signal: AbortSignal,
): Promise<void> {
  while (!signal.aborted) {
    try {
      await sleep(clock, everyMs, signal);
      await check(signal);
    } catch (error) {
      if (!signal.aborted) throw error;
    }
  }
}
