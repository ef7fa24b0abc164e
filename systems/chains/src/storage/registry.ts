import { type ImageReference, type Login, parseImageReference, RegistryClient } from '@tektite/oci';
import { type ImageDigest, parseImageDigest } from '../artifacts/image-digest.ts';
import type { ChainsConfig } from '../config/chains-config.ts';
import { signaturePredicate } from '../signing/image-payload.ts';
import type { SignedArtifact } from '../signing/sign-artifacts.ts';
import {
  type AttachedLayer,
  attachedManifest,
  attachedTag,
  attestationLayer,
  digestOf,
  hasSamePayload,
  signatureLayer,
} from './attached-layers.ts';
import { attachBundle } from './referrers.ts';

export interface RegistryStorageOptions {
  readonly loginFor: (image: ImageReference) => Promise<Login | undefined>;
  readonly signal: AbortSignal;
  readonly now: () => number;
}

/**
 * Stores signatures and attestations beside the images that they are about, where cosign finds them: under tags, or as referrers. Storing the
 * same statement again, after a crash, adds nothing.
 */
export async function storeInRegistry(
  artifact: SignedArtifact,
  config: ChainsConfig,
  options: RegistryStorageOptions,
): Promise<void> {
  const { about, payload, signature, bundle } = artifact;
  const refer = (image: ImageDigest, content: Buffer, predicateType: string) =>
    attachBundle(image, content, predicateType, { ...options, mayBePlain: config.insecureRepository });
  if (about.kind === 'image') {
    if (bundle) await refer(about.image, bundle, signaturePredicate);
    else await attach(about.image, 'sig', payload, signatureLayer(payload, signature), config, options);
    return;
  }
  for (const { name = '', digest = {} } of about.subjects) {
    const image = parseImageDigest(`${name}@sha256:${digest['sha256'] ?? ''}`);
    if (image === undefined) throw new Error(`getting digest for subj ${name}@sha256:${digest['sha256'] ?? ''}`);
    if (bundle) await refer(image, bundle, about.predicateType);
    else await attach(image, 'att', signature, attestationLayer(signature, about.predicateType), config, options);
  }
}

async function attach(
  image: ImageDigest,
  kind: 'sig' | 'att',
  content: string | Buffer,
  layer: AttachedLayer,
  config: ChainsConfig,
  { loginFor, signal }: RegistryStorageOptions,
): Promise<void> {
  const place = config.repository === '' ? image.reference : parseImageReference(config.repository);
  const target = { ...place, reference: attachedTag(image.digest, kind), isDigest: false };
  const plain = config.insecureRepository ? { mayBePlain: true } : {};
  const registry = new RegistryClient(target, await loginFor(target), signal, plain);
  const present = await layersOf(registry);
  if (kind === 'att' && (await isAttached(registry, present, Buffer.from(content as string)))) return;
  const others = present.filter(({ digest }) => digest !== layer.digest);
  const { manifest, config: imageConfig } = attachedManifest([...others, layer]);
  await registry.uploadBlob(layer.digest, Buffer.from(content as string));
  await registry.uploadBlob(digestOf(imageConfig), Buffer.from(imageConfig));
  await registry.uploadManifest(Buffer.from(manifest));
}

/** The layers that are there already; none where there is no such image. */
async function layersOf(registry: RegistryClient): Promise<readonly AttachedLayer[]> {
  const found = await registry.findManifest();
  return ((found?.value as { layers?: readonly AttachedLayer[] } | undefined)?.layers ?? []).filter(
    ({ digest }) => typeof digest === 'string',
  );
}

async function isAttached(
  registry: RegistryClient,
  layers: readonly AttachedLayer[],
  envelope: Buffer,
): Promise<boolean> {
  for (const { digest } of layers) if (hasSamePayload(await registry.blob(digest), envelope)) return true;
  return false;
}
