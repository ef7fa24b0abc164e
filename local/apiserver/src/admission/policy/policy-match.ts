import type { Selector } from '@tektite/meta';
import type { MatchResources } from '@tektite/schema/kubernetes';
import type { Resource } from '../../registry/resource.ts';
import type { AdmissionRequest } from '../admission.ts';
import { compileSelector, type RequestMatcher, selectsObject } from '../matching/request-matcher.ts';

/** The compiled match criteria of a policy, or of a binding. */
export interface CompiledMatch {
  readonly resources: MatchResources;
  readonly matchPolicy: 'Exact' | 'Equivalent';
  readonly namespaceSelector: Selector;
  readonly objectSelector: Selector;
}

export function compileMatch(resources: MatchResources): CompiledMatch {
  return {
    resources,
    matchPolicy: resources.matchPolicy === 'Exact' ? 'Exact' : 'Equivalent',
    namespaceSelector: compileSelector(resources.namespaceSelector),
    objectSelector: compileSelector(resources.objectSelector),
  };
}

/** The resource in the version that is of interest; `undefined` when the request is not. No rules at all cover everything. */
export function matchPolicyRequest(
  match: CompiledMatch,
  request: AdmissionRequest,
  matcher: RequestMatcher,
): Resource | undefined {
  const { resources, matchPolicy, namespaceSelector, objectSelector } = match;
  if (!objectSelector.isEmpty && !selectsObject(objectSelector, request)) return undefined;
  if (matcher.matchRules(resources.excludeResourceRules ?? [], matchPolicy, request)) return undefined;
  const rules = resources.resourceRules ?? [];
  const resource = rules.length === 0 ? request.resource : matcher.matchRules(rules, matchPolicy, request);
  return resource && matcher.selectsNamespace(namespaceSelector, request) ? resource : undefined;
}
