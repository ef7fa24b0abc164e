import { isStatusError } from '@tektite/meta';
import { isClientError } from '../client-error.ts';

/**
 * The recovery after a failed list or watch.
 * - `resume`: watch on from where it stopped.
 * - `relist`: the history was compacted; list again.
 * - `retry`: back off, then try the same again.
 */
export interface Recovery {
  readonly action: 'resume' | 'relist' | 'retry';
  /** The server's `Retry-After`. */
  readonly waitMs?: number;
}

/** Pure: what a failure means for a watch that wants to live on. Everything it does not know is worth another try. */
export function recoverFrom(error: unknown): Recovery {
  // A dead peer and a quiet cluster are both silent; a new request distinguishes them.
  if (isClientError(error, 'CONNECTION_STALLED')) return { action: 'resume' };
  if (!isStatusError(error)) return { action: 'retry' };
  if (error.code === 410 || error.reason === 'Expired' || error.reason === 'Gone') return { action: 'relist' };
  if (isTooLargeResourceVersion(error.status.details?.causes)) return { action: 'relist' };
  const seconds = error.status.details?.retryAfterSeconds;
  return { action: 'retry', ...(seconds === undefined ? {} : { waitMs: seconds * 1000 }) };
}

/** The server's state is older than ours: it was restored from a backup, or is another replica that lags. */
function isTooLargeResourceVersion(
  causes: readonly { readonly reason?: string; readonly message?: string }[] = [],
): boolean {
  return causes.some(
    ({ reason, message }) => reason === 'ResourceVersionTooLarge' || message === 'Too large resource version',
  );
}
