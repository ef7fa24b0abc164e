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

/** The predicate of a statement that stands for the signature of an image. */
export const signaturePredicate = 'https://sigstore.dev/cosign/sign/v1';

/** The statement that cosign signs for an image where signatures are bundles. */
export function imageStatement({ digest }: ImageDigest): string {
  return JSON.stringify({
    _type: 'https://in-toto.io/Statement/v1',
    subject: [{ digest: { sha256: digest.replace('sha256:', '') } }],
    predicateType: signaturePredicate,
    predicate: {},
  });
}
