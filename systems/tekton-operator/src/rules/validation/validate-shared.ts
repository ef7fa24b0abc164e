import {
  type FieldErrors,
  invalidKeyName,
  invalidValue,
  missingField,
  noFieldErrors,
  outOfBounds,
} from '@tektite/controller/field-errors';
import { validateDns1123Subdomain } from '@tektite/meta';
import type { AdditionalOptions, NetworkPolicyConfig, Performance } from '../../kinds/shared-fields.ts';
import type { Platform } from '../../platform/platform.ts';

export const oneOf = (value: string | undefined, allowed: readonly string[], path: string): FieldErrors =>
  value === undefined || value === '' || allowed.includes(value) ? noFieldErrors : invalidValue(value, path);

/** Each kind has one object. Upstream's texts differ in a space, and tests depend on them. */
export function singletonName(name: string, kind: string, expected: string, gap: ' ' | '  '): FieldErrors {
  if (name === expected) return noFieldErrors;
  return invalidValue(name, `metadata.name,${gap}Only one instance of ${kind} is allowed by name, ${expected}`);
}

/** Namespaces that are the cluster's own: nothing is installed there. */
const clusterNamespaces = new Set(['kube-system', 'kube-public', 'kube-node-lease']);

export function targetNamespace(namespace: string | undefined, platform: Platform): FieldErrors {
  const path = 'spec.targetNamespace';
  if (!namespace) return missingField(path);
  if (platform === 'openshift' && namespace === 'openshift-operators')
    return invalidValue(namespace, path, "'openshift-operators' namespace is not allowed");
  if (clusterNamespaces.has(namespace)) return invalidValue(namespace, path, `'${namespace}' namespace is not allowed`);
  return noFieldErrors;
}

/** All entries are validated; upstream validates one, whichever comes first. */
export function validateOptions(options: AdditionalOptions | undefined, path: string): FieldErrors {
  let errors = noFieldErrors;
  const at = `${path}.webhookconfigurationoptions`;
  for (const hook of Object.values(options?.webhookConfigurationOptions ?? {}))
    errors = errors.also(
      oneOf(hook.failurePolicy, ['Ignore', 'Fail'], `${at}.failurePolicy`),
      oneOf(hook.sideEffects, ['NoneOnDryRun', 'None', 'Unknown', 'Some'], `${at}.sideEffects`),
    );
  return errors;
}

export function validatePerformance(performance: Performance | undefined, path: string): FieldErrors {
  const { buckets, replicas, 'statefulset-ordinals': ordinals } = performance ?? {};
  let errors = noFieldErrors;
  if (buckets !== undefined && (buckets < 1 || buckets > 10))
    errors = errors.also(outOfBounds(buckets, 1, 10, `${path}.buckets`));
  if (!ordinals || replicas === undefined) return errors;
  if (buckets === undefined)
    return errors.also(
      missingField(`${path}.buckets`, 'spec.performance.buckets must be set when statefulset ordinals is enabled'),
    );
  if (buckets === replicas) return errors;
  const rule = 'spec.performance.replicas must equal spec.performance.buckets for statefulset ordinals';
  return errors.also(invalidValue(replicas, `${path}.replicas`, rule));
}

export function validateNetworkPolicy(policy: NetworkPolicyConfig | undefined): FieldErrors {
  let errors = noFieldErrors;
  for (const name of Object.keys(policy?.policies ?? {})) {
    const violations = validateDns1123Subdomain(name);
    if (violations.length > 0) errors = errors.also(invalidKeyName(name, 'spec.networkPolicy.policies', ...violations));
  }
  return errors;
}
