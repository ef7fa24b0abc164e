import { isStatusError } from '@tektite/meta';

export interface ConflictRetryOptions {
  /** Attempts in all. Default 5. */
  readonly attempts?: number;
}

/**
 * Repeats a read and the write that depends on it while other writers are faster: after Conflict, and after AlreadyExists, which is
 * the same for a create. `write` must read the object again on every attempt after the first. Rethrows all other errors, and the last
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
      const isConflict = isStatusError(error, 'Conflict') || isStatusError(error, 'AlreadyExists');
      if (!isConflict || attempt >= attempts) throw error;
    }
  }
}
