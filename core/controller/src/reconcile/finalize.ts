import { type Client, keyOf, mergePatch, ignoreNotFound } from '@tektite/client';
import { type KubeObject } from '@tektite/meta';

/**
 * The finalizer step of an object.
 * - `hold`: add the finalizer first. Until then, nothing may be created that it would have to clean up.
 * - `work`: reconcile.
 * - `clean`: the object is being deleted; clean up, then `release`.
 * - `gone`: the object is being deleted, and does not have our finalizer.
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

/** Removes the finalizer. A deleted object is not an error. */
export async function releaseObject(
  client: Client,
  object: KubeObject,
  finalizer: string,
  signal?: AbortSignal,
): Promise<void> {
  const rest = (object.metadata.finalizers ?? []).filter((name) => name !== finalizer);
  await writeFinalizers(client, object, rest, signal).catch(ignoreNotFound);
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
