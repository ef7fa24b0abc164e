import { type Clock, isStatusError, sleep } from '@tektite/meta';

/** The pause after a first failure. It doubles with each that follows. */
const firstRetryMs = 500;
/** How long a start waits for a server that fails: after that, the program goes on without. */
const startPatienceMs = 60_000;

/** `failing` is worth another try soon; what is `refused` takes another client to change it, such as a missing permission. */
export type CheckOutcome = 'healthy' | 'failing' | 'refused';

export type Check = (signal?: AbortSignal) => Promise<CheckOutcome>;

export function outcomeOf(error: Error | undefined): CheckOutcome {
  if (!error) return 'healthy';
  const cause = isStatusError(error) ? error : error.cause;
  if (!isStatusError(cause)) return 'failing';
  return cause.code >= 500 || cause.code === 409 || cause.code === 429 ? 'failing' : 'refused';
}

/**
 * Checks until it succeeds, or the server has failed for a while. Writes that come before a webhook is in force are not reviewed, so a
 * start should not pass over a request that was merely lost.
 */
export async function checkAtStart(clock: Clock, check: Check, signal?: AbortSignal): Promise<void> {
  const end = clock.monotonic() + startPatienceMs;
  for (let pause = firstRetryMs; (await check(signal)) === 'failing' && clock.monotonic() + pause <= end; pause *= 2)
    await sleep(clock, pause, signal);
}

/** Calls `check` at a steady pace until the signal is aborted, one after the other, and sooner after a failure. Resolves then. */
export async function checkPeriodically(
  clock: Clock,
  everyMs: number,
  check: Check,
  signal: AbortSignal,
  first: CheckOutcome,
): Promise<void> {
  let pause = first === 'failing' ? Math.min(firstRetryMs, everyMs) : everyMs;
  while (!signal.aborted) {
    try {
      await sleep(clock, pause, signal);
      const outcome = await check(signal);
      const sooner = Math.min(pause >= everyMs ? firstRetryMs : pause * 2, everyMs);
      pause = outcome === 'failing' ? sooner : everyMs;
    } catch (error) {
      if (!signal.aborted) throw error;
    }
  }
}
