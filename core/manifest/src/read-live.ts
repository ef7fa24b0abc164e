import { type Client, isClientError, type ObjectKey } from '@tektite/client';
import type { DynamicObject } from '@tektite/meta';

/** Reads an object; undefined when there is none, also when its kind is not served: a kind without a definition has no objects. */
export async function readLive(
  client: Client,
  kind: { readonly apiVersion: string; readonly kind: string },
  key: ObjectKey,
  signal?: AbortSignal,
): Promise<DynamicObject | undefined> {
  try {
    return await client.getOrUndefined(kind, key, signal ? { signal } : {});
  } catch (error) {
    if (isClientError(error, 'UNKNOWN_KIND')) return undefined;
    throw error;
  }
}
