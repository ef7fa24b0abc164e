import { type Client, keyOf, mergePatch } from '@tektite/client';
import { isStatusError, type KubeObject } from '@tektite/meta';

/**
 * What a finalizer asks for, given what the object is like.
 * - `hold`: write the finalizer first. Until it is there, nothing may be made that it would have to clean up.
 * - `work`: reconcile.
 * - `clean`: the object is to go; clean up, then `release`.
 * - `gone`: the object is to go, and does not wait for us.
 */
export function finalizerStep({ metadata }: KubeObject, finalizer: string): 'hold' | 'work' | 'clean' | 'gone' {
  const held = metadata.finalizers?.includes(finalizer) ?? false;
  if (metadata.deletionTimestamp !== undefined) return held ? 'clean' : 'gone';
  return held ? 'work' : 'hold';
}

/** Writes the finalizer. Answers the object with it. */
export function holdObject(
  client: Client,
  object: KubeObject,
  finalizer: string,
  signal?: AbortSignal,
): Promise<KubeObject> {
  return writeFinalizers(client, object, [...(object.metadata.finalizers ?? []), finalizer], signal);
}

/** Takes the finalizer away; the object may go. One that is gone already is fine. */
export async function releaseObject(
  client: Client,
  object: KubeObject,
  finalizer: string,
  signal?: AbortSignal,
): Promise<void> {
  const rest = (object.metadata.finalizers ?? []).filter((name) => name !== finalizer);
  try {
    await writeFinalizers(client, object, rest, signal);
  } catch (error) {
    if (!isStatusError(error, 'NotFound')) throw error;
  }
}

/** The whole list at once, bound to the state it was made from: others add and remove theirs at the same time. */
function writeFinalizers(
  client: Client,
  object: KubeObject,
  finalizers: readonly string[],
  signal: AbortSignal | undefined,
): Promise<KubeObject> {
  const { apiVersion, kind, metadata } = object;
  const { name, namespace, uid, resourceVersion } = metadata;
  const patch = {
    apiVersion,
    kind,
    metadata: { name, ...(namespace ? { namespace } : {}), uid, resourceVersion, finalizers },
  };
  return client.patch<KubeObject>({ apiVersion, kind }, keyOf(object), mergePatch(patch), signal ? { signal } : {});
}
