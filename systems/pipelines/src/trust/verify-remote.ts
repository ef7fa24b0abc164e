import { isStatusError, type KubeObject } from '@tektite/meta';
import type { FeatureFlags } from '../config/feature-flags.ts';
import type { VerificationPolicyObject } from '../kinds/verification-policy.ts';
import { checksumOf, signatureAnnotation } from './checksum.ts';
import { matchingPolicies } from './matching-policies.ts';
import { type KeyPlace, policyKeys } from './policy-keys.ts';
import { verifyChecksum } from './sign-object.ts';
import type { VerificationResult } from '../conditions/verification-result.ts';

export interface VerificationSettings {
  /** Those of the namespace of the run. */
  readonly policies: readonly VerificationPolicyObject[];
  /** The effect on a source that matches no policy. */
  readonly noMatchPolicy: FeatureFlags['verificationNoMatchPolicy'];
}

/**
 * Whether something that was fetched is signed as the policies about its source want it: for each of them that is enforced by one of
 * its authorities; those that only warn come after. Throws only what trying again may help against.
 */
export async function verifyRemote(
  object: KubeObject,
  uri: string,
  { policies, noMatchPolicy }: VerificationSettings,
  place: KeyPlace,
): Promise<VerificationResult> {
  const { name = '', namespace = '' } = object.metadata;
  let matched: readonly VerificationPolicyObject[];
  try {
    matched = matchingPolicies(uri, policies);
  } catch (error) {
    return { outcome: 'failed', message: `failed to get matched policies: ${(error as Error).message}` };
  }
  if (matched.length === 0) return unmatched(name, uri, noMatchPolicy);
  const unsigned = `resource verification failed: resource ${name} in namespace ${namespace} fails verification`;
  const check = signatureCheck(object, place);
  for (const policy of matched.filter(({ spec }) => spec.mode !== 'warn')) {
    const violation = await check(policy, 'failed to get verifiers from policy', unsigned);
    if (violation !== undefined) return { outcome: 'failed', message: violation };
  }
  const from = `failed to get verifiers for resource ${name} from namespace ${namespace}`;
  for (const policy of matched.filter(({ spec }) => spec.mode === 'warn')) {
    const violation = await check(policy, from, unsigned);
    if (violation !== undefined) return { outcome: 'warned', message: violation };
  }
  return { outcome: 'passed' };
}

function unmatched(name: string, uri: string, policy: VerificationSettings['noMatchPolicy']): VerificationResult {
  if (policy === 'ignore') return { outcome: 'skipped' };
  const message = `failed to get matched policies: no policies are matched: no matching policies are found for resource: ${name} against source: ${uri}`;
  return { outcome: policy === 'warn' ? 'warned' : 'failed', message };
}

/** Says what is wrong for one policy, if something is. */
function signatureCheck(object: KubeObject, place: KeyPlace) {
  const checksum = checksumOf(object);
  const signature = Buffer.from(object.metadata.annotations?.[signatureAnnotation] ?? '', 'base64');
  return async (policy: VerificationPolicyObject, noKeys: string, unsigned: string): Promise<string | undefined> => {
    try {
      const keys = await policyKeys(policy, place);
      const isSigned = keys.some(({ key, hashAlgorithm }) => verifyChecksum(checksum, signature, key, hashAlgorithm));
      return isSigned ? undefined : unsigned;
    } catch (error) {
      if (isStatusError(error)) throw error;
      return `${noKeys}: ${(error as Error).message}`;
    }
  };
}
