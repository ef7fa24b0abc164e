import { type Client, isClientError, keyOf } from '@tektite/client';
import type { ObjectReference } from '@tektite/manifest';
import { type DynamicObject } from '@tektite/meta';

/** The object as the server has it; undefined when there is none. */
export async function readObject(
  client: Client,
  object: DynamicObject | ObjectReference,
  signal?: AbortSignal,
): Promise<DynamicObject | undefined> {
  const { apiVersion, kind } = object;
  const key = 'metadata' in object ? keyOf(object as DynamicObject) : (object as ObjectReference);
  return await client.getOrUndefined({ apiVersion, kind }, key, signal ? { signal } : {});
}

/** The same, where a kind that the server does not know has no objects. */
export async function readIfKnown(
  client: Client,
  object: DynamicObject | ObjectReference,
  signal?: AbortSignal,
): Promise<DynamicObject | undefined> {
  try {
    return await readObject(client, object, signal);
  } catch (error) {
    if (isClientError(error, 'UNKNOWN_KIND')) return undefined;
    throw error;
  }
}
