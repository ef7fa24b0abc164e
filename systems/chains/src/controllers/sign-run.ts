import { type Client, kinds } from '@tektite/client';
import type { ImageReference } from '@tektite/oci';
import type { ChainsConfig } from '../config/chains-config.ts';
import type { SignedRun } from '../kinds/runs.ts';
import { signArtifacts, type SignedArtifact, signsAnything } from '../signing/sign-artifacts.ts';
import { readSigningKey, type SigningKey } from '../signing/signing-key.ts';
import { artifactAnnotations, failureAnnotations, signedAnnotation, writeAnnotations } from '../storage/annotations.ts';
import { storeInRegistry } from '../storage/registry.ts';
import { loginOf } from '../storage/registry-logins.ts';

/** Where settings and keys come from. */
export interface SigningOptions {
  readonly config: () => ChainsConfig;
  /** The namespace of the Secret `signing-secrets`. */
  readonly namespace: string;
}

export const secretName = 'signing-secrets';

/**
 * Signs a completed run and marks it.
 *
 * Flow: sign everything, upload to registries, then write payloads, signatures and the mark in one request. A crash
 * before that request repeats all of it, and what was uploaded is found; after it there is nothing left to do.
 *
 * Errors: an attempt that fails is counted on the run and repeated; after the last one the run is marked as failed.
 */
export async function signRun(
  signed: SignedRun,
  client: Client,
  options: SigningOptions,
  signal: AbortSignal,
): Promise<void> {
  const config = options.config();
  try {
    const artifacts = signsAnything(signed.kind, config)
      ? signArtifacts(signed, config, await signingKeyOf(client, options.namespace))
      : [];
    for (const artifact of artifacts) await store(artifact, signed, client, config, signal);
    const kept = artifacts.filter(({ storages }) => storages.has('tekton')).map(artifactAnnotations);
    await writeAnnotations(client, signed, Object.assign({}, ...kept, { [signedAnnotation]: 'true' }));
  } catch (error) {
    if (signal.aborted) throw error;
    await writeAnnotations(client, signed, failureAnnotations(signed.run));
    throw error;
  }
}

async function store(
  artifact: SignedArtifact,
  { kind, run }: SignedRun,
  client: Client,
  config: ChainsConfig,
  signal: AbortSignal,
): Promise<void> {
  for (const storage of artifact.storages) {
    if (storage === 'tekton') continue;
    if (storage !== 'oci') throw new Error(`could not find backend '${storage}' in configured backends ([tekton oci])`);
    const { namespace = '' } = run.metadata;
    const account = kind === 'TaskRun' ? run.spec?.serviceAccountName : run.spec?.taskRunTemplate?.serviceAccountName;
    const loginFor = (image: ImageReference) => loginOf(client, { namespace, account: account ?? '', image }, signal);
    await storeInRegistry(artifact, config, { loginFor, signal, now: () => client.clock.now() });
  }
}

/** Keys by the text of their Secret: deriving one from a passphrase takes a tenth of a second. */
const keys = new Map<string, SigningKey>();

async function signingKeyOf(client: Client, namespace: string): Promise<SigningKey> {
  const { data = {} } = await client.get(kinds.Secret, { namespace, name: secretName });
  const text = JSON.stringify(data);
  const known = keys.get(text);
  if (known !== undefined) return known;
  const entries = Object.entries(data).map(([name, value]) => [name, Buffer.from(value, 'base64').toString()]);
  const key = readSigningKey(Object.fromEntries(entries) as Record<string, string>);
  keys.clear();
  keys.set(text, key);
  return key;
}
