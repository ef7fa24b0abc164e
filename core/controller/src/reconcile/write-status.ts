import { type Client, keyOf, mergePatch } from '@tektite/client';
import { equalJson, type KubeObject, setOwn } from '@tektite/meta';

/** The type of a kind's status. */
export type StatusOf<T> = T extends { readonly status?: infer S } ? NonNullable<S> : never;

/**
 * Sends what is different between the object's status and the new one, bound to the object's resourceVersion. A patch and
 * not an update, because the object may have come from a cache that keeps only parts of it.
 */
export async function writeStatus<T extends KubeObject>(
  client: Client,
  object: T,
  status: StatusOf<T>,
  signal?: AbortSignal,
): Promise<boolean> {
  const before = (object as { readonly status?: unknown }).status;
  if (equalJson(before ?? {}, status)) return false;
  const { apiVersion, kind, metadata } = object;
  const { name, namespace, resourceVersion, uid } = metadata;
  const patch = {
    apiVersion,
    kind,
    metadata: { name, ...(namespace ? { namespace } : {}), uid, resourceVersion },
    status: mergeDifference(before, status),
  };
  await client.patchStatus({ apiVersion, kind }, keyOf(object), mergePatch(patch), signal ? { signal } : {});
  return true;
}

/** The JSON merge patch that makes `after` of `before`. Lists are replaced as a whole: merge patches know nothing else. */
export function mergeDifference(before: unknown, after: unknown): unknown {
  if (!isRecord(before) || !isRecord(after)) return after;
  const patch: Record<string, unknown> = {};
  for (const key of Object.keys(before))
    if (before[key] !== undefined && (!Object.hasOwn(after, key) || after[key] === undefined)) setOwn(patch, key, null);
  for (const key of Object.keys(after)) {
    if (after[key] === undefined) continue;
    const old = Object.hasOwn(before, key) ? before[key] : undefined;
    if (!equalJson(old, after[key])) setOwn(patch, key, mergeDifference(old, after[key]));
  }
  return patch;
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
