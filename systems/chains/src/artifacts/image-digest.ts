import { type ImageReference, parseImageReference } from '@tektite/oci';

/** An image that is named by its digest. */
export interface ImageDigest {
  /** `registry.example/team/web`, with the registry that a short name leaves out. */
  readonly repository: string;
  /** `sha256:…` */
  readonly digest: string;
  readonly reference: ImageReference;
}

/** Reads `name@sha256:…`; `undefined` for anything else. */
export function parseImageDigest(text: string): ImageDigest | undefined {
  const at = text.lastIndexOf('@');
  if (at < 0) return undefined;
  try {
    const reference = parseImageReference(text);
    if (!reference.isDigest) return undefined;
    return { repository: `${reference.registry}/${reference.repository}`, digest: reference.reference, reference };
  } catch {
    return undefined;
  }
}

/** `repository@sha256:…`: how the image is keyed. */
export function formatImageDigest({ repository, digest }: ImageDigest): string {
  return `${repository}@${digest}`;
}
