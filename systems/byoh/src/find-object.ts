import type { Client, KindReference } from '@tektite/client';
import { type KubeObject } from '@tektite/meta';

/** The object of this name, or undefined when there is none. */
export async function findObject<T extends KubeObject>(
  client: Client,
  kind: KindReference<T>,
  namespace: string,
  name: string | undefined,
  signal?: AbortSignal,
): Promise<T | undefined> {
  if (!name) return undefined;
  return await client.getOrUndefined(kind, { namespace, name }, signal ? { signal } : {});
}
