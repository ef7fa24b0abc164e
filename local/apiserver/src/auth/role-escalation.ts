import { equalJson, forbiddenError, type KubeObject } from '@tektite/meta';
import type { ClusterRole, PolicyRule, Role, RoleBinding } from '@tektite/schema/kubernetes';
import type { AdmissionPlugin, AdmissionRequest } from '../admission/admission.ts';
import { errorTarget } from '../registry/resource.ts';
import type { RbacAuthorizer } from './rbac-authorizer.ts';
import { compactRules, formatRule, missingRules } from './rbac-rules.ts';

const api = 'rbac.authorization.k8s.io';

/**
 * Nobody can give what he does not have: a role may only contain rules its author holds, and only a role whose rules its
 * author holds may be bound, unless he has the verbs `escalate` or `bind`.
 */
export function roleEscalationCheck(authorizer: RbacAuthorizer): AdmissionPlugin {
  return {
    name: 'RBACEscalation',
    validate(request) {
      if (
        request.resource.group !== api ||
        request.operation === 'DELETE' ||
        !request.object ||
        request.user.groups.includes('system:masters')
      )
        return;
      const { plural } = request.resource;
      if (plural === 'roles' || plural === 'clusterroles') checkRole(authorizer, request);
      else checkBinding(authorizer, request);
    },
  };
}

function checkRole(authorizer: RbacAuthorizer, request: AdmissionRequest): void {
  const role = request.object as unknown as Role | ClusterRole;
  const old = request.oldObject as Role | ClusterRole | undefined;
  const aggregation = (object: KubeObject | undefined) => (object as ClusterRole | undefined)?.aggregationRule;
  if (old && equalJson(old.rules, role.rules) && equalJson(aggregation(old), aggregation(role))) return;
  if (may(authorizer, request, 'escalate', request.resource.plural, role.metadata.name ?? '')) return;
  // A role that gathers others could become anything; only somebody who has everything may make one.
  const wanted: readonly PolicyRule[] = aggregation(role)
    ? [
        { apiGroups: ['*'], resources: ['*'], verbs: ['*'] },
        { nonResourceURLs: ['*'], verbs: ['*'] },
      ]
    : (role.rules ?? []);
  refuseUnlessHeld(authorizer, request, wanted);
}

function checkBinding(authorizer: RbacAuthorizer, request: AdmissionRequest): void {
  const binding = request.object as unknown as RoleBinding;
  const old = request.oldObject as RoleBinding | undefined;
  if (old && equalJson(old.subjects, binding.subjects) && equalJson(old.roleRef, binding.roleRef)) return;
  const { kind, name } = binding.roleRef;
  if (may(authorizer, request, 'bind', kind === 'ClusterRole' ? 'clusterroles' : 'roles', name)) return;
  const rules = authorizer.rulesOf(binding, request.resource.plural === 'clusterrolebindings');
  if (rules === undefined) {
    throw forbiddenError(
      errorTarget(request.resource),
      request.name,
      `${kind === 'ClusterRole' ? 'clusterrole' : 'role'}.${api} ${JSON.stringify(name)} not found`,
    );
  }
  refuseUnlessHeld(authorizer, request, rules);
}

function may(
  authorizer: RbacAuthorizer,
  { user, namespace }: AdmissionRequest,
  verb: string,
  resource: string,
  name: string,
): boolean {
  return authorizer.authorize({
    user,
    verb,
    isResourceRequest: true,
    group: api,
    resource,
    subresource: '',
    namespace,
    name,
    path: '',
  }).allowed;
}

function refuseUnlessHeld(authorizer: RbacAuthorizer, request: AdmissionRequest, wanted: readonly PolicyRule[]): void {
  const { user, namespace } = request;
  const held = [...authorizer.grants(user, namespace)].map(({ rule }) => rule);
  const missing = missingRules(held, wanted);
  if (missing.length === 0) return;
  const groups = user.groups.map((group) => JSON.stringify(group)).join(' ');
  const lines = compactRules(missing).map(formatRule).sort().join('\n');
  throw forbiddenError(
    errorTarget(request.resource),
    request.name,
    `user ${JSON.stringify(user.name)} (groups=[${groups}]) is attempting to grant RBAC permissions not currently held:\n${lines}`,
  );
}
