import { type Client, keyOf, mergePatch } from '@tektite/client';
import { mergeDifference } from '@tektite/controller';
import type { KubeObject } from '@tektite/meta';
import type { Kind } from '@tektite/schema';

interface WithStatus extends KubeObject {
  readonly spec?: unknown;
  readonly status?: unknown;
}

/**
 * Writes what is different between two states of an object: labels, annotations and spec first, then the status, all of it
 * bound to the state it was decided on. So what a status claims is never there before what it is about: a host does not say
 * that it is installed while the way to uninstall it could not be written. Answers the object as it is then.
 */
export async function patchObject<T extends WithStatus>(
  client: Client,
  kind: Kind<T>,
  before: T,
  after: T,
  signal?: AbortSignal,
): Promise<T> {
  const options = signal ? { signal } : {};
  const lock = (object: T) => ({ uid: object.metadata.uid, resourceVersion: object.metadata.resourceVersion });
  let current = before;
  const main = mergeDifference(mainOf(before), mainOf(after)) as Record<string, unknown>;
  if (Object.keys(main).length > 0) {
    const metadata = { ...(main['metadata'] as object | undefined), ...lock(current) };
    current = await client.patch(kind, keyOf(before), mergePatch({ ...main, metadata }), options);
  }
  const status = mergeDifference(before.status ?? {}, after.status ?? {}) as Record<string, unknown>;
  if (Object.keys(status).length > 0)
    current = await client.patchStatus(kind, keyOf(before), mergePatch({ metadata: lock(current), status }), options);
  return current;
}

function mainOf({ metadata, spec }: WithStatus): object {
  const { labels, annotations, finalizers } = metadata;
  return { metadata: { labels: labels ?? {}, annotations: annotations ?? {}, finalizers: finalizers ?? [] }, spec };
}
