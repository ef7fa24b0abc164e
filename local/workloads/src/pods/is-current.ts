import type { Client, KindReference } from '@tektite/client';
import type { KubeObject } from '@tektite/meta';

/**
 * Whether the server still has this very object, and it is not being deleted. Read before something is made for an owner: what is made
 * for one that a stale cache still has is collected at once, made again, and so on until the cache is up to date.
 */
export async function isCurrent(client: Client, kind: KindReference<KubeObject>, owner: KubeObject): Promise<boolean> {
  const { namespace = '', name = '', uid } = owner.metadata;
  const live = await client.getOrUndefined(kind, { namespace, name });
  return live?.metadata.uid === uid && live?.metadata.deletionTimestamp === undefined;
}
