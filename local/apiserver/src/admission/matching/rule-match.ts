import type { RuleWithOperations } from '@tektite/schema/kubernetes';
import type { AdmissionOperation } from '../admission.ts';

/** The attributes that rules match. */
export interface RuleSubject {
  readonly operation: AdmissionOperation;
  readonly group: string;
  readonly version: string;
  readonly plural: string;
  readonly subresource: string;
  readonly namespace: string;
}

/**
 * Whether a rule covers a request. A resource without a subresource covers only itself: `pods` is not `pods/status`, while
 * `pods/*` is the Pod and all of its subresources.
 *
 * @example
 * ruleMatches({ operations: ['*'], apiGroups: [''], apiVersions: ['*'], resources: ['pods/*'] }, subject)
 */
export function ruleMatches(rule: RuleWithOperations, subject: RuleSubject): boolean {
  return (
    scopeMatches(rule.scope, subject) &&
    includes(rule.operations, subject.operation) &&
    includes(rule.apiGroups, subject.group) &&
    includes(rule.apiVersions, subject.version) &&
    (rule.resources ?? []).some((resource) => resourceMatches(resource, subject))
  );
}

function includes(wanted: readonly string[] | undefined, actual: string): boolean {
  return wanted !== undefined && (wanted.includes('*') || wanted.includes(actual));
}

/** A Namespace counts as inside the namespace of its name, but not for scopes. */
function scopeMatches(scope: string | undefined, { group, plural, namespace }: RuleSubject): boolean {
  if (scope === undefined || scope === '*') return true;
  const clusterWide = namespace === '' || (group === '' && plural === 'namespaces');
  return scope === 'Cluster' ? clusterWide : scope === 'Namespaced' && !clusterWide;
}

function resourceMatches(pattern: string, { plural, subresource }: RuleSubject): boolean {
  const slash = pattern.indexOf('/');
  const wanted = slash < 0 ? pattern : pattern.slice(0, slash);
  const wantedPart = slash < 0 ? '' : pattern.slice(slash + 1);
  return (wanted === '*' || wanted === plural) && (wantedPart === '*' || wantedPart === subresource);
}
