import { duplicate, type FieldError, type FieldPath, invalid, notSupported, required, tooMany } from '@tektite/meta';
import type { Container, ContainerResizePolicy } from '@tektite/schema/kubernetes';
import { checkRequiredSupported, checkSupported } from '../../field-checks.ts';

const containerRestartPolicies = ['Always', 'Never', 'OnFailure'];

/** When a single container restarts, apart from the Pod it is in. */
export function validateContainerRestartPolicy(container: Container, path: FieldPath, errors: FieldError[]): void {
  const { restartPolicy: policy, restartPolicyRules: rules = [] } = container;
  const policyPath = path.child('restartPolicy');
  if (policy === undefined) {
    if (rules.length === 0) return;
    errors.push(required(policyPath, 'must specify restartPolicy when restart rules are used'));
  } else checkSupported(policy, containerRestartPolicies, policyPath, errors);
  const rulesPath = path.child('restartPolicyRules');
  if (rules.length > 20) errors.push(tooMany(rulesPath, rules.length, 20));
  for (const [i, { action = '', exitCodes }] of rules.entries()) {
    const rulePath = rulesPath.index(i);
    checkSupported(action, ['Restart', 'RestartAllContainers'], rulePath.child('action'), errors);
    if (!exitCodes) {
      errors.push(required(rulePath.child('exitCodes'), 'must be specified'));
      continue;
    }
    checkSupported(exitCodes.operator ?? '', ['In', 'NotIn'], rulePath.child('exitCodes', 'operator'), errors);
    const count = exitCodes.values?.length ?? 0;
    if (count > 255) errors.push(tooMany(rulePath.child('exitCodes', 'values'), count, 255));
  }
}

/** An init container needs a policy only to have rules. */
export function validateInitContainerRestartPolicy(container: Container, path: FieldPath, errors: FieldError[]): void {
  if (container.restartPolicy !== undefined) validateContainerRestartPolicy(container, path, errors);
  else if (container.restartPolicyRules?.length)
    errors.push(required(path.child('restartPolicy'), 'must specify restartPolicy when restart rules are used'));
}

/** Validates the resize policies of a container. The paths are upstream's: only duplicates name the entry. */
export function validateResizePolicies(
  policies: readonly ContainerResizePolicy[],
  podRestartPolicy: string | undefined,
  path: FieldPath,
  errors: FieldError[],
): void {
  const seen = new Set<string>();
  for (const [i, { resourceName = '', restartPolicy = '' }] of policies.entries()) {
    if (seen.has(resourceName)) errors.push(duplicate(path.index(i), resourceName));
    seen.add(resourceName);
    checkRequiredSupported(resourceName, ['cpu', 'memory'], path, errors);
    checkRequiredSupported(restartPolicy, ['NotRequired', 'RestartContainer'], path, errors);
    if (podRestartPolicy === 'Never' && restartPolicy !== 'NotRequired')
      errors.push(invalid(path, restartPolicy, "must be 'NotRequired' when pod `restartPolicy` is 'Never'"));
  }
}

export function validatePodRestartPolicy(policy: string | undefined, path: FieldPath, errors: FieldError[]): void {
  const policies = ['Always', 'OnFailure', 'Never'];
  if (!policy) errors.push(required(path));
  else if (!policies.includes(policy)) errors.push(notSupported(path, policy, policies));
}
