import { createHash, createPublicKey, type KeyObject } from 'node:crypto';
import type { Envelope } from './envelope.ts';

export const bundleType = 'application/vnd.dev.sigstore.bundle.v0.3+json';

/** As much of a Sigstore bundle as is written and read here. */
interface SigstoreBundle {
  readonly mediaType: string;
  readonly verificationMaterial: { readonly publicKey: { readonly hint: string } };
  readonly dsseEnvelope: {
    readonly payload: string;
    readonly payloadType: string;
    readonly signatures: readonly { readonly sig: string }[];
  };
}

/** An envelope with the key that has signed it, as the JSON of a Sigstore bundle. */
export function sigstoreBundle({ payload, payloadType, signatures }: Envelope, privateKey: KeyObject): Buffer {
  const spki = createPublicKey(privateKey).export({ type: 'spki', format: 'der' });
  const bundle: SigstoreBundle = {
    mediaType: bundleType,
    verificationMaterial: { publicKey: { hint: createHash('sha256').update(spki).digest('base64') } },
    dsseEnvelope: { payload, payloadType, signatures: signatures.map(({ sig }) => ({ sig })) },
  };
  return Buffer.from(JSON.stringify(bundle));
}

/** The envelope in a bundle; `undefined` for anything else. */
export function envelopeInBundle(bytes: Buffer): Envelope | undefined {
  try {
    const { dsseEnvelope } = JSON.parse(bytes.toString()) as Partial<SigstoreBundle>;
    if (typeof dsseEnvelope?.payload !== 'string' || !Array.isArray(dsseEnvelope.signatures)) return undefined;
    // Signatures in bundles do not name their key.
    return { ...dsseEnvelope, signatures: dsseEnvelope.signatures.map(({ sig }) => ({ keyid: '', sig })) };
  } catch {
    return undefined;
  }
}
