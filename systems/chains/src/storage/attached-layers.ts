import { createHash } from 'node:crypto';
import type { Envelope } from '../signing/envelope.ts';

/** A layer of the image that holds the signatures, or the attestations, of another image. */
export interface AttachedLayer {
  readonly mediaType: string;
  readonly size: number;
  readonly digest: string;
  readonly annotations?: Readonly<Record<string, string>>;
}

const signatureKey = 'dev.cosignproject.cosign/signature';
const emptyTime = '0001-01-01T00:00:00Z';

export function digestOf(content: string | Buffer): string {
  return `sha256:${createHash('sha256').update(content).digest('hex')}`;
}

export function signatureLayer(payload: string, signature: Buffer): AttachedLayer {
  return {
    mediaType: 'application/vnd.dev.cosign.simplesigning.v1+json',
    size: Buffer.byteLength(payload),
    digest: digestOf(payload),
    annotations: { [signatureKey]: signature.toString('base64') },
  };
}

export function attestationLayer(envelope: Buffer, predicateType: string): AttachedLayer {
  return {
    mediaType: 'application/vnd.dsse.envelope.v1+json',
    size: envelope.length,
    digest: digestOf(envelope),
    annotations: { [signatureKey]: '', predicateType },
  };
}

/** The tag under which cosign finds what belongs to an image. */
export function attachedTag(digest: string, kind: 'sig' | 'att'): string {
  return `${digest.replace(':', '-')}.${kind}`;
}

/** The manifest of the image with these layers, and its configuration. */
export function attachedManifest(layers: readonly AttachedLayer[]): {
  readonly manifest: string;
  readonly config: string;
} {
  const config = JSON.stringify({
    architecture: '',
    created: emptyTime,
    history: layers.map(() => ({ created: emptyTime })),
    os: '',
    rootfs: { type: 'layers', diff_ids: layers.map(({ digest }) => digest) },
    config: {},
  });
  const manifest = JSON.stringify({
    schemaVersion: 2,
    mediaType: 'application/vnd.oci.image.manifest.v1+json',
    config: {
      mediaType: 'application/vnd.oci.image.config.v1+json',
      size: Buffer.byteLength(config),
      digest: digestOf(config),
    },
    layers,
  });
  return { manifest, config };
}

/** Whether two envelopes say the same: then the second is an attempt that was repeated after a crash. */
export function hasSamePayload(one: Buffer, other: Buffer): boolean {
  const payloadOf = (bytes: Buffer) => (JSON.parse(bytes.toString()) as Envelope).payload;
  try {
    return payloadOf(one) === payloadOf(other);
  } catch {
    return false;
  }
}
