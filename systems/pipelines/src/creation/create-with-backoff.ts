import type { ReconcileContext } from '@tektite/controller';
import { isStatusError, sleep } from '@tektite/meta';
import type { CurrentSettings } from '../config/current-settings.ts';
import { standardWaitBackoff, type WaitBackoff } from '../config/wait-backoff-config.ts';

/** A webhook was too slow in every attempt. The message is client-go's. */
export class CreationTimeout extends Error {
  override readonly name = 'CreationTimeout';

  constructor(cause: unknown) {
    super('timed out waiting for the condition', { cause });
  }
}

/**
 * Creates an object. With `enable-wait-exponential-backoff`, a creation that the API server failed because a webhook did not answer in
 * time is repeated here, with growing waits, and given up after the configured number of attempts. Other errors are thrown at once.
 * Without the flag, the reconcile that follows a failed one repeats it.
 */
export async function createWithBackoff<T>(
  create: () => Promise<T>,
  { flags, waitBackoff }: CurrentSettings,
  { client, signal }: Pick<ReconcileContext, 'client' | 'signal'>,
): Promise<T> {
  if (!flags().enableWaitExponentialBackoff) return create();
  const waits = waitsOf(waitBackoff?.() ?? standardWaitBackoff);
  for (;;) {
    try {
      return await create();
    } catch (error) {
      if (!isWebhookTimeout(error)) throw error;
      const wait = waits.next();
      if (wait.done) throw new CreationTimeout(error);
      await sleep(client.clock, wait.value, signal);
    }
  }
}

/**
 * The waits between attempts, in milliseconds, as client-go's `ExponentialBackoff` has them: a wait whose successor would be longer
 * than the cap is followed by no attempt, and so is left out.
 */
export function* waitsOf({ durationMs, factor, steps, capMs }: WaitBackoff): Generator<number, void> {
  let wait = durationMs;
  for (let left = steps - 1; left > 0; left--) {
    const next = factor === 0 ? wait : wait * factor;
    if (factor !== 0 && capMs > 0 && next > capMs) return;
    yield wait;
    wait = next;
  }
}

function isWebhookTimeout(error: unknown): boolean {
  return isStatusError(error) && error.code === 500 && error.message.includes('timeout');
}
