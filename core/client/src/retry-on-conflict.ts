import { isStatusError, type StatusError } from '@tektite/meta';

export interface ConflictRetryOptions {
  /** Attempts in all. Default 5. */
  readonly attempts?: number;
}

/** Whether another writer was faster: Conflict, or AlreadyExists, which is the same for a create. */
export function isConflict(error: unknown): error is StatusError {
  return isStatusError(error, 'Conflict') || isStatusError(error, 'AlreadyExists');
}

/**
 * Repeats a read and the write that depends on it while other writers are faster (`isConflict`). `write` must read the object again on every attempt after the first. Rethrows all other errors, and the last
 * conflict.
 *
 * @example
 * await retryOnConflict(async () => {
 *   const settings = await client.get(kinds.ConfigMap, key);
 *   await client.update(kinds.ConfigMap, { ...settings, data: { ...settings.data, a: '1' } });
 * });
 */
export async function retryOnConflict<T>(
  write: (attempt: number) => Promise<T>,
  { attempts = 5 }: ConflictRetryOptions = {},
): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await write(attempt);
    } catch (error) {
      if (!isConflict(error) || attempt >= attempts) throw error;
    }
  }
}
