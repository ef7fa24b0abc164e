import { type ImageReference, parseImageReference } from '../image-reference.ts';
import { StoreError } from '../store-error.ts';

/** Reads the name of an image. Rejects with INVALID_REFERENCE. */
export function parseName(name: string): ImageReference {
  try {
    return parseImageReference(name);
  } catch (cause) {
    throw new StoreError('INVALID_REFERENCE', (cause as Error).message, { cause });
  }
}
