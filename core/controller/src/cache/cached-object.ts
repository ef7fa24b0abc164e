import type { ObjectMeta } from '@tektite/meta';

/** The least that a cache has to keep of an object. Kinds are, and all that transforms make of them. */
export interface CachedObject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: Pick<ObjectMeta, 'name' | 'namespace' | 'uid' | 'resourceVersion'>;
}

/** The key of an object within its kind: `namespace/name`, or `name`. */
export function cacheKey({ namespace, name = '' }: { readonly namespace?: string; readonly name?: string }): string {
  return namespace ? `${namespace}/${name}` : name;
}

/**
 * Whether a resourceVersion is not older than another. Within a kind they are whole numbers that grow, which the API
 * promises since 1.35 and servers kept long before; anything else is only ever equal.
 */
export function isAtLeast(resourceVersion: string, other: string): boolean {
  if (resourceVersion === other) return true;
  if (!isNumber(resourceVersion) || !isNumber(other)) return false;
  return resourceVersion.length === other.length ? resourceVersion > other : resourceVersion.length > other.length;
}

function isNumber(text: string): boolean {
  return /^[1-9][0-9]*$/.test(text);
}
