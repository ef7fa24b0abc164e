import { equalJson, forbiddenError, type KubeObject, notFoundError } from '@tektite/meta';
import type { ClusterRole, PolicyRule, Role, RoleBinding } from '@tektite/schema/kubernetes';
import type { AdmissionPlugin, AdmissionRequest } from '../admission.ts';
import { errorTarget } from '../../registry/resource.ts';
import type { RbacAuthorizer } from '../../auth/rbac-authorizer.ts';
import { compactRules, formatRule, missingRules } from '../../auth/rbac-rules.ts';

const api = 'rbac.authorization.k8s.io';

/**
 * Prevents privilege escalation: a role may only contain rules that its author holds, and only a role whose rules its
 * author holds may be bound, unless the author has the verbs `escalate` or `bind`.
 */
export function roleEscalationCheck(authorizer: RbacAuthorizer): AdmissionPlugin {
  const check = (request: AdmissionRequest) => checkRequest(authorizer, request);
  // Escalation is denied before a role is validated, and what is stored is checked again.
  return { name: 'RBACEscalation', mutate: check, validate: check };
}

function checkRequest(authorizer: RbacAuthorizer, request: AdmissionRequest): void {
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
}

function checkRole(authorizer: RbacAuthorizer, request: AdmissionRequest): void {
  const role = request.object as Role | ClusterRole;
  if (isOnlyForCollector(role, request.oldObject)) return;
  if (may(authorizer, request, 'escalate', request.resource.plural, role.metadata.name ?? '')) return;
  refuseUnlessHeld(authorizer, request, role.rules ?? []);
  // An aggregated role can gain any rule; only a user with all permissions may create or change one.
  if (!gathers(role) && !gathers(request.oldObject)) return;
  if (missing(authorizer, request, everything).length > 0) {
    throw forbiddenError(
      errorTarget(request.resource),
      request.name,
      'must have cluster-admin privileges to use the aggregationRule',
    );
  }
}

const everything: readonly PolicyRule[] = [
  { apiGroups: ['*'], resources: ['*'], verbs: ['*'] },
  { nonResourceURLs: ['*'], verbs: ['*'] },
];

function gathers(role: KubeObject | undefined): boolean {
  return ((role as ClusterRole | undefined)?.aggregationRule?.clusterRoleSelectors?.length ?? 0) > 0;
}

function checkBinding(authorizer: RbacAuthorizer, request: AdmissionRequest): void {
  const binding = request.object as unknown as RoleBinding;
  if (isOnlyForCollector(binding, request.oldObject)) return;
  const { kind, name } = binding.roleRef;
  if (may(authorizer, request, 'bind', kind === 'ClusterRole' ? 'clusterroles' : 'roles', name)) return;
  const rules = authorizer.rulesOf(binding, request.resource.plural === 'clusterrolebindings');
  if (rules === undefined) {
    // Upstream looks the role up in the name of the request, and says what that is for.
    throw notFoundError({ group: api, resource: request.resource.plural }, name);
  }
  refuseUnlessHeld(authorizer, request, rules);
}

/**
 * Whether a change touches nothing but what garbage collection needs. Labels are not among that: by a label a role can
 * become part of another one.
 */
function isOnlyForCollector(object: KubeObject, old: KubeObject | undefined): boolean {
  return old !== undefined && equalJson(withoutCollectorFields(object), withoutCollectorFields(old));
}

function withoutCollectorFields(object: KubeObject): object {
  const { ownerReferences: _, finalizers: __, selfLink: ___, managedFields: ____, ...metadata } = object.metadata;
  return { ...object, metadata };
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

/** The rules among `wanted` that the author does not have. Bindings to roles that do not exist go to `errors`. */
function missing(
  authorizer: RbacAuthorizer,
  { user, namespace }: AdmissionRequest,
  wanted: readonly PolicyRule[],
  errors: string[] = [],
): PolicyRule[] {
  return missingRules(
    [...authorizer.grants(user, namespace, errors)].map(({ rule }) => rule),
    wanted,
  );
}

function refuseUnlessHeld(authorizer: RbacAuthorizer, request: AdmissionRequest, wanted: readonly PolicyRule[]): void {
  const errors: string[] = [];
  const lacking = missing(authorizer, request, wanted, errors);
  if (lacking.length === 0) return;
  const { user } = request;
  const groups = user.groups.map((group) => JSON.stringify(group)).join(' ');
  const lines = compactRules(lacking).map(formatRule).sort().join('\n');
  const resolution =
    errors.length === 0 ? '' : `; resolution errors: [${errors.length === 1 ? errors[0] : `[${errors.join(', ')}]`}]`;
  throw forbiddenError(
    errorTarget(request.resource),
    request.name,
    `user ${JSON.stringify(user.name)} (groups=[${groups}]) is attempting to grant RBAC permissions not currently held:\n${lines}${resolution}`,
  );
}
