import { type ImageReference, type Login, type Referrer, RegistryClient } from '@tektite/oci';
import type { ImageDigest } from '../artifacts/image-digest.ts';
import type { Envelope } from '../signing/envelope.ts';
import { bundleType, envelopeInBundle } from '../signing/sigstore-bundle.ts';
import { digestOf } from './attached-layers.ts';

const predicateKey = 'dev.sigstore.bundle.predicateType';
const manifestType = 'application/vnd.oci.image.manifest.v1+json';
const emptyConfig = Buffer.from('{}');

export interface ReferrersOptions {
  readonly loginFor: (image: ImageReference) => Promise<Login | undefined>;
  readonly signal: AbortSignal;
  /** Plain HTTP will do. */
  readonly mayBePlain?: boolean;
}

/** A bundle that refers to an image. */
export interface FoundBundle {
  readonly predicateType: string;
  readonly envelope: Envelope;
}

/**
 * Adds a bundle to an image, as a manifest whose subject is the image. A bundle with the same payload, from an attempt before a crash,
 * is not added again.
 */
export async function attachBundle(
  image: ImageDigest,
  bundle: Buffer,
  predicateType: string,
  options: ReferrersOptions & { readonly now: () => number },
): Promise<void> {
  const registry = await registryOf(image, options);
  const subject = await registry.describe(image.digest);
  const payload = envelopeInBundle(bundle)?.payload;
  const present = await bundlesIn(registry, image);
  if (present.some((found) => found.predicateType === predicateType && found.envelope.payload === payload)) return;
  await registry.uploadBlob(digestOf(emptyConfig), emptyConfig);
  await registry.uploadBlob(digestOf(bundle), bundle);
  const { mediaType = manifestType } = subject.value as { readonly mediaType?: string };
  const manifest = {
    schemaVersion: 2,
    mediaType: manifestType,
    artifactType: bundleType,
    config: {
      mediaType: 'application/vnd.oci.empty.v1+json',
      size: emptyConfig.length,
      digest: digestOf(emptyConfig),
      artifactType: bundleType,
    },
    layers: [{ mediaType: bundleType, size: bundle.length, digest: digestOf(bundle) }],
    subject: { mediaType, size: subject.body.length, digest: image.digest },
    annotations: {
      'dev.sigstore.bundle.content': 'dsse-envelope',
      [predicateKey]: predicateType,
      'org.opencontainers.image.created': `${new Date(options.now()).toISOString().slice(0, 19)}Z`,
    },
  };
  await registry.uploadReferrer(manifest, image.digest);
}

/** The bundles that refer to an image. */
export async function bundlesOf(image: ImageDigest, options: ReferrersOptions): Promise<readonly FoundBundle[]> {
  return bundlesIn(await registryOf(image, options), image);
}

async function registryOf(image: ImageDigest, options: ReferrersOptions): Promise<RegistryClient> {
  const target = { ...image.reference, reference: image.digest, isDigest: true };
  const plain = options.mayBePlain ? { mayBePlain: true } : {};
  return new RegistryClient(target, await options.loginFor(target), options.signal, plain);
}

async function bundlesIn(registry: RegistryClient, { digest }: ImageDigest): Promise<readonly FoundBundle[]> {
  const found: FoundBundle[] = [];
  for (const referrer of await registry.referrers(digest)) {
    // Registries that make lists of their own name the type of the configuration instead.
    if (referrer.artifactType !== undefined && !isBundle(referrer)) continue;
    const { value } = await registry.describe(referrer.digest);
    const { annotations = {}, layers = [] } = value as ReferrerManifest;
    for (const layer of layers) {
      const envelope = layer.mediaType === bundleType ? envelopeInBundle(await registry.blob(layer.digest)) : undefined;
      if (envelope) found.push({ envelope, predicateType: annotations[predicateKey] ?? '' });
    }
  }
  return found;
}

const isBundle = ({ artifactType }: Referrer) =>
  artifactType === bundleType || artifactType === 'application/vnd.oci.empty.v1+json';

interface ReferrerManifest {
  readonly annotations?: Readonly<Record<string, string>>;
  readonly layers?: readonly { readonly mediaType?: string; readonly digest: string }[];
}
