import { isStatusError } from '@tektite/meta';

/**
 * Turns the NotFound of the API into `undefined`. Rethrows all other errors.
 *
 * @example
 * await client.delete(kinds.Pod, key).catch(ignoreNotFound);
 */
export function ignoreNotFound(error: unknown): undefined {
  if (!isStatusError(error, 'NotFound')) throw error;
  return undefined;
}
