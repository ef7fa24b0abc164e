import type { KeyObject } from 'node:crypto';
import { type Client, kinds } from '@tektite/client';
import { isStatusError, isTransient } from '@tektite/meta';
import type { Authority, VerificationPolicyObject } from '../kinds/verification-policy.ts';
import { hashAlgorithms } from '../kinds/hash-algorithms.ts';
import { readPublicKey } from './sign-object.ts';

export interface PolicyKey {
  readonly key: KeyObject;
  readonly hashAlgorithm: string;
}

export interface KeyPlace {
  readonly client: Client;
  readonly signal: AbortSignal;
}

/**
 * The keys of a policy's authorities. Throws, in upstream's words, if one of them cannot be read; errors of the API are
 * passed on.
 */
export async function policyKeys({ spec }: VerificationPolicyObject, place: KeyPlace): Promise<readonly PolicyKey[]> {
  const keys: PolicyKey[] = [];
  for (const authority of spec.authorities) keys.push(await keyOf(authority, place));
  if (keys.length === 0) throw new Error('no public keys are founded');
  return keys;
}

async function keyOf({ name, key = {} }: Authority, place: KeyPlace): Promise<PolicyKey> {
  const { data = '', secretRef, kms = '', hashAlgorithm = '' } = key;
  if (!hashAlgorithms.has(hashAlgorithm.toLowerCase()))
    throw new Error(
      `authority "${name}" contains an invalid hash algorithm: unknown digest algorithm: ${hashAlgorithm}`,
    );
  if (data !== '') return { key: read(data, 'failed to get verifier from data'), hashAlgorithm };
  if (secretRef)
    return { key: await keyInSecret(secretRef.namespace ?? '', secretRef.name ?? '', place), hashAlgorithm };
  if (kms !== '')
    throw new Error(
      `failed to get verifier from kms: key management services are not supported; put the public key of ${kms} into data or a Secret`,
    );
  throw new Error("key doesn't contain data or keyRef");
}

function read(pem: string, doing: string): KeyObject {
  try {
    return readPublicKey(pem);
  } catch (cause) {
    throw new Error(`${doing}: ${(cause as Error).message}`, { cause });
  }
}

/** A Secret with one value, whatever its name. */
async function keyInSecret(namespace: string, name: string, { client, signal }: KeyPlace): Promise<KeyObject> {
  const doing = 'failed to get verifier from secret';
  const place = `"k8s://${namespace}/${name}"`;
  let values: readonly string[];
  try {
    const secret = await client.get(kinds.Secret, { namespace, name }, { signal });
    values = Object.values((secret.data ?? {}) as Readonly<Record<string, string>>);
  } catch (cause) {
    if (!isStatusError(cause) || isTransient(cause)) throw cause;
    throw new Error(`${doing}: failed to get secret: secret not found: ${cause.message}`, { cause });
  }
  const [value, ...others] = values;
  if (value === undefined) throw new Error(`${doing}: secret ${place} contains no data secret data is empty`);
  if (others.length > 0)
    throw new Error(
      `${doing}: secret ${place} contains multiple data entries, only one is supported. secret contains multiple data`,
    );
  return read(Buffer.from(value, 'base64').toString('utf8'), `${doing}: failed to get verifier from secret data`);
}
