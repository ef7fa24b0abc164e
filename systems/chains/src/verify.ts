import type { KeyObject } from 'node:crypto';
import type { KubeObject } from '@tektite/meta';
import { type ImageReference, type Login, RegistryClient } from '@tektite/oci';
import type { ImageDigest } from './artifacts/image-digest.ts';
import { type Envelope, openEnvelope } from './signing/envelope.ts';
import { signaturePredicate } from './signing/image-payload.ts';
import { annotationPrefix } from './storage/annotations.ts';
import { attachedTag } from './storage/attached-layers.ts';
import { bundlesOf } from './storage/referrers.ts';

/** An envelope that was found, and its statement where the key has signed it. */
export interface FoundAttestation {
  readonly envelope: Envelope;
  readonly statement: string | undefined;
}

/** The attestation that a run carries; `undefined` where it has none. */
export function attestationOf({ kind, metadata }: KubeObject): Envelope | undefined {
  const text = metadata.annotations?.[`${annotationPrefix}signature-${kind.toLowerCase()}-${metadata.uid}`];
  return text === undefined ? undefined : readEnvelope(Buffer.from(text, 'base64'));
}

/** Opens an envelope with a key. */
export function checkAttestation(envelope: Envelope, publicKey: KeyObject): FoundAttestation {
  return { envelope, statement: openEnvelope(envelope, publicKey)?.toString() };
}

/** The attestations that a registry has for an image, under its tag or as referrers, and that are about this image. */
export async function attestationsOfImage(
  image: ImageDigest,
  publicKey: KeyObject,
  loginFor: (image: ImageReference) => Promise<Login | undefined>,
  signal: AbortSignal,
): Promise<readonly FoundAttestation[]> {
  const referring = await bundlesOf(image, { loginFor, signal });
  const target = { ...image.reference, reference: attachedTag(image.digest, 'att'), isDigest: false };
  const registry = new RegistryClient(target, await loginFor(target), signal);
  const manifest = await registry.findManifest();
  const { layers = [] } = (manifest?.value ?? {}) as { layers?: readonly { readonly digest: string }[] };
  const envelopes = referring
    .filter(({ predicateType }) => predicateType !== signaturePredicate)
    .map(({ envelope }) => envelope);
  for (const { digest } of layers) {
    const envelope = readEnvelope(await registry.blob(digest));
    if (envelope !== undefined) envelopes.push(envelope);
  }
  const found: FoundAttestation[] = [];
  for (const envelope of envelopes) {
    const checked = checkAttestation(envelope, publicKey);
    // A statement about another image may be signed rightly, and says nothing about this one.
    found.push(isAbout(checked.statement, image) ? checked : { envelope, statement: undefined });
  }
  return found;
}

function isAbout(statement: string | undefined, { digest }: ImageDigest): boolean {
  const { subject = [] } = JSON.parse(statement ?? '{}') as {
    subject?: readonly { digest?: Record<string, string> }[];
  };
  return subject.some((each) => `sha256:${each.digest?.['sha256']}` === digest);
}

function readEnvelope(bytes: Buffer): Envelope | undefined {
  try {
    const value = JSON.parse(bytes.toString()) as Partial<Envelope>;
    return Array.isArray(value.signatures) && typeof value.payload === 'string' ? (value as Envelope) : undefined;
  } catch {
    return undefined;
  }
}
