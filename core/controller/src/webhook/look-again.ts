import { type Clock, sleep } from '@tektite/meta';

/** Calls `look` at a steady pace until the signal is aborted, one after the other; resolves then. */
export async function lookAgain(
  clock: Clock,
  everyMs: number,
  look: (signal: AbortSignal) => Promise<void>,
  signal: AbortSignal,
): Promise<void> {
  while (!signal.aborted) {
    try {
      await sleep(clock, everyMs, signal);
      await look(signal);
    } catch (error) {
      if (!signal.aborted) throw error;
    }
  }
}
