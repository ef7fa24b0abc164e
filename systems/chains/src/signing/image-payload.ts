import type { ImageDigest } from '../artifacts/image-digest.ts';

/** The payload that cosign signs for an image: `simplesigning`. */
export function imagePayload({ repository, digest }: ImageDigest): string {
  return JSON.stringify({
    critical: {
      identity: { 'docker-reference': repository },
      image: { 'docker-manifest-digest': digest },
      type: 'cosign container image signature',
    },
    optional: null,
  });
}
