import { type FieldError, type FieldPath, invalid, required } from '@tektite/meta';
import type { PolicyRule } from '@tektite/schema/kubernetes';

/** Rules of a Role or ClusterRole: each is about resources or about paths, never both. */
export function validatePolicyRules(
  rules: readonly PolicyRule[] | null | undefined,
  namespaced: boolean,
  path: FieldPath,
  errors: FieldError[],
): void {
  for (const [i, rule] of (rules ?? []).entries()) validatePolicyRule(rule, namespaced, path.index(i), errors);
}

function validatePolicyRule(rule: PolicyRule, namespaced: boolean, path: FieldPath, errors: FieldError[]): void {
  const { apiGroups = [], resources = [], resourceNames = [], nonResourceURLs = [] } = rule;
  if (!rule.verbs?.length) errors.push(required(path.child('verbs'), 'verbs must contain at least one value'));
  if (nonResourceURLs.length > 0) {
    const at = path.child('nonResourceURLs');
    if (namespaced) errors.push(invalid(at, nonResourceURLs, 'namespaced rules cannot apply to non-resource URLs'));
    if (apiGroups.length + resources.length + resourceNames.length > 0)
      errors.push(invalid(at, nonResourceURLs, 'rules cannot apply to both regular resources and non-resource URLs'));
    return;
  }
  if (apiGroups.length === 0)
    errors.push(required(path.child('apiGroups'), 'resource rules must supply at least one api group'));
  if (resources.length === 0)
    errors.push(required(path.child('resources'), 'resource rules must supply at least one resource'));
}
