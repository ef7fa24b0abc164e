/** Digests by algorithm. */
export type DigestSet = Readonly<Record<string, string>>;

/** A subject, dependency or by-product of an in-toto statement. */
export interface ResourceDescriptor {
  readonly name?: string;
  readonly uri?: string;
  readonly digest?: DigestSet;
  /** Base64. */
  readonly content?: string;
  readonly mediaType?: string;
}

/** Something that a build read, in provenance v0.2. */
export interface Material {
  readonly uri?: string;
  readonly digest?: DigestSet;
}

/** A material or dependency of this address and digest, without those that are empty. */
export function materialOf({ uri, digest }: { readonly uri?: string; readonly digest?: DigestSet }): Material {
  return { ...(uri ? { uri } : {}), ...(digest && Object.keys(digest).length > 0 ? { digest } : {}) };
}

/** Appends items; one that has the name and a digest of another adds its digests to it. */
export function appendMerged<T extends { readonly digest?: DigestSet }>(
  list: readonly T[],
  items: readonly T[],
  nameOf: (item: T) => string,
): readonly T[] {
  const result = [...list];
  for (const item of items) {
    const at = result.findIndex((each) => nameOf(each) === nameOf(item) && sharesDigest(each, item));
    if (at < 0) result.push(item);
    else result[at] = { ...(result[at] as T), digest: { ...result[at]?.digest, ...item.digest } };
  }
  return result;
}

export function appendSubjects(
  list: readonly ResourceDescriptor[],
  items: readonly ResourceDescriptor[],
): readonly ResourceDescriptor[] {
  return appendMerged(list, items, ({ name = '' }) => name);
}

export function appendMaterials(list: readonly Material[], items: readonly Material[]): readonly Material[] {
  return appendMerged(list, items, ({ uri = '' }) => uri);
}

function sharesDigest(one: { readonly digest?: DigestSet }, other: { readonly digest?: DigestSet }): boolean {
  return Object.entries(one.digest ?? {}).some(([algorithm, hex]) => other.digest?.[algorithm] === hex);
}
