import { formatImageDigest, type ImageDigest } from '../artifacts/image-digest.ts';
import { imagesIn } from '../artifacts/type-hints.ts';
import { type ChainsConfig, isEnabled } from '../config/chains-config.ts';
import type { SignedRun } from '../kinds/runs.ts';
import { createStatement } from '../statement/create-statement.ts';
import type { ResourceDescriptor } from '../statement/resource-descriptor.ts';
import { printStatement } from '../statement/statement.ts';
import { signEnvelope } from './envelope.ts';
import { imagePayload, imageStatement } from './image-payload.ts';
import { signBytes, type SigningKey } from './signing-key.ts';
import { sigstoreBundle } from './sigstore-bundle.ts';

/** Something that was signed, with the storages that it goes to. */
export interface SignedArtifact {
  /** In names of annotations: `taskrun-UID`, or the beginning of an image's digest. */
  readonly shortKey: string;
  readonly payload: string;
  /** A DSSE envelope for statements, the bare signature for images. */
  readonly signature: Buffer;
  /** With the encoding `sigstore-bundle`: what registries get. */
  readonly bundle?: Buffer;
  readonly storages: ReadonlySet<string>;
  readonly about:
    | { readonly kind: 'statement'; readonly subjects: readonly ResourceDescriptor[]; readonly predicateType: string }
    | { readonly kind: 'image'; readonly image: ImageDigest };
}

/** Signs the statement of a run and, for TaskRuns, the images that it made. Pure but for the signatures. */
export function signArtifacts(signed: SignedRun, config: ChainsConfig, key: SigningKey): readonly SignedArtifact[] {
  const settings = signed.kind === 'TaskRun' ? config.taskRuns : config.pipelineRuns;
  const statements = isEnabled(settings) ? [signStatement(signed, config, settings, key)] : [];
  const images =
    signed.kind === 'TaskRun' && isEnabled(config.images) ? imagesIn(signed.run.status?.results ?? []) : [];
  return [...statements, ...images.map((image) => signImage(image, config, key))];
}

/** Whether anything of such runs is signed at all. */
export function signsAnything(kind: SignedRun['kind'], config: ChainsConfig): boolean {
  return kind === 'TaskRun' ? isEnabled(config.taskRuns) || isEnabled(config.images) : isEnabled(config.pipelineRuns);
}

function signStatement(
  signed: SignedRun,
  config: ChainsConfig,
  settings: ChainsConfig['taskRuns'],
  key: SigningKey,
): SignedArtifact {
  const statement = createStatement(signed, settings.format, config);
  const payload = printStatement(statement);
  const envelope = signEnvelope(payload, key);
  return {
    shortKey: `${signed.kind.toLowerCase()}-${signed.run.metadata.uid}`,
    payload,
    signature: Buffer.from(JSON.stringify(envelope)),
    ...(isBundled(config) ? { bundle: sigstoreBundle(envelope, key.privateKey) } : {}),
    storages: settings.storage,
    about: { kind: 'statement', subjects: statement.subject, predicateType: statement.predicateType },
  };
}

function signImage(image: ImageDigest, config: ChainsConfig, key: SigningKey): SignedArtifact {
  const payload = imagePayload(image);
  return {
    shortKey: formatImageDigest(image).split('@sha256:')[1]?.slice(0, 12) ?? '',
    payload,
    signature: signBytes(Buffer.from(payload), key),
    ...(isBundled(config) ? { bundle: sigstoreBundle(signEnvelope(imageStatement(image), key), key.privateKey) } : {}),
    storages: config.images.storage,
    about: { kind: 'image', image },
  };
}

const isBundled = ({ encodingFormat }: ChainsConfig) => encodingFormat === 'sigstore-bundle';
