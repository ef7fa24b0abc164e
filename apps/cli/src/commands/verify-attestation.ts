import { createPublicKey, type KeyObject } from 'node:crypto';
import {
  attestationOf,
  attestationsOfImage,
  checkAttestation,
  type FoundAttestation,
  parseImageDigest,
} from '@tektite/chains';
import { type Client, ignoreNotFound, kinds } from '@tektite/client';
import { machineLogins } from '@tektite/oci';
import { type ClusterChoice, withCluster } from '../cluster/open-cluster.ts';
import { readKeyFile } from '../key-text.ts';
import { chooseRun, type RunChoice } from '../run/choose-run.ts';
import { UserError } from '../user-error.ts';

export interface VerifyAttestationOptions extends ClusterChoice, RunChoice {
  readonly key?: string;
}

/** `tektite verify-attestation SUBJECT`: a run of the cluster, or an image by its digest, against a key. */
export async function verifyAttestation(subject: string | undefined, options: VerifyAttestationOptions): Promise<void> {
  const given = options.key === undefined ? undefined : asKey(await readKeyFile('--key', options.key), options.key);
  const image = subject === undefined ? undefined : parseImageDigest(subject);
  const signal = new AbortController().signal;
  const login = async (reference: Parameters<typeof machineLogins>[0]) => (await machineLogins(reference, signal))[0];
  if (image !== undefined && given !== undefined) {
    report(subject as string, await attestationsOfImage(image, given, login, signal));
    return;
  }
  await withCluster(options, async (client) => {
    const key = given ?? (await keyOfCluster(client));
    if (image !== undefined) {
      report(subject as string, await attestationsOfImage(image, key, login, signal));
      return;
    }
    const run = await chooseRun(client, subject, options);
    const envelope = attestationOf(run);
    const name = `${run.kind} ${run.metadata.namespace}/${run.metadata.name}`;
    report(name, envelope === undefined ? [] : [checkAttestation(envelope, key)]);
  });
}

function asKey(text: string, file: string): KeyObject {
  try {
    return createPublicKey(text);
  } catch {
    throw new UserError(`--key: ${file} is no public key in PEM; cosign.pub is one`);
  }
}

/** The public half of the key that Chains signs with here. */
async function keyOfCluster(client: Client): Promise<KeyObject> {
  const key = { namespace: 'tekton-chains', name: 'signing-secrets' };
  const { data = {} } = (await client.get(kinds.Secret, key).catch(ignoreNotFound)) ?? {};
  const text = data['cosign.pub'];
  if (text === undefined)
    throw new UserError('the cluster has no tekton-chains/signing-secrets with cosign.pub; name a file with --key');
  return createPublicKey(Buffer.from(text, 'base64'));
}

function report(name: string, found: readonly FoundAttestation[]): void {
  if (found.length === 0) throw new UserError(`${name} has no attestation`);
  const verified = found.flatMap(({ statement }) => (statement === undefined ? [] : [statement]));
  if (verified.length === 0)
    throw new UserError(`${name}: none of its ${found.length} attestations is signed with this key and about it`);
  for (const statement of verified) {
    const { predicateType } = JSON.parse(statement) as { predicateType: string };
    process.stdout.write(`${name}: verified, ${predicateType}\n`);
  }
}
