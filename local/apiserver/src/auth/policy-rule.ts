import type { PolicyRule } from '@tektite/schema/kubernetes';

/** A rule of a built-in role. Upstream sorts the resources and verbs of each. */
export function policyRule(groups: string | readonly string[], resources: string, verbs: string): PolicyRule {
  return {
    apiGroups: typeof groups === 'string' ? [groups] : [...groups],
    resources: resources.split(' ').sort(),
    verbs: verbs.split(' ').sort(),
  };
}
