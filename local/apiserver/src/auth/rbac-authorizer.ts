import type { KubeObject } from '@tektite/meta';
import type {
  ClusterRole,
  ClusterRoleBinding,
  PolicyRule,
  Role,
  RoleBinding,
  Subject,
} from '@tektite/schema/kubernetes';
import type { Storage } from '../storage/storage.ts';
import type { UserInfo } from '../request/api-request.ts';
import type { AuthorizationAttributes, Authorizer, Decision } from './authorizer.ts';
import { ruleAllows } from './rbac-rules.ts';

type AnyBinding = RoleBinding | ClusterRoleBinding;

const clusterBindings = '/registry/clusterrolebindings/';
const bindings = '/registry/rolebindings/';

/** A granted rule, and its binding. */
export interface GrantedRule {
  readonly rule: PolicyRule;
  readonly binding: AnyBinding;
  readonly subject: Subject;
}

/**
 * Role-based access control on the stored Roles and bindings. Bindings are indexed by whom they bind, so that a decision
 * looks only at the user's own.
 */
export class RbacAuthorizer implements Authorizer {
  private readonly storage: Storage;
  private readonly bySubject = new Map<string, Map<string, AnyBinding>>();

  constructor(storage: Storage) {
    this.storage = storage;
    for (const prefix of [clusterBindings, bindings]) {
      for (const { key, value } of storage.list(prefix).entries) this.index(key, value as AnyBinding);
      storage.watch(prefix, storage.revision, ({ key, value, previous, deleted }) => {
        if (previous) this.unindex(key, previous as AnyBinding);
        if (!deleted) this.index(key, value as AnyBinding);
      });
    }
  }

  authorize(request: AuthorizationAttributes): Decision {
    // Members of this group are cluster administrators; no binding can lock them out.
    if (request.user.groups.includes('system:masters')) return { allowed: true, reason: '' };
    const errors: string[] = [];
    for (const { rule, binding, subject } of this.grants(request.user, request.namespace, errors)) {
      if (ruleAllows(rule, request)) return { allowed: true, reason: `RBAC: allowed by ${describe(binding, subject)}` };
    }
    return {
      allowed: false,
      reason: errors.length === 0 ? '' : `RBAC: ${formatAggregate(errors)}`,
    };
  }

  /** Every rule a user has in a namespace (the empty one: cluster-wide). Bindings to roles that do not exist go to `errors`. */
  *grants(user: UserInfo, namespace: string, errors: string[] = []): Generator<GrantedRule> {
    for (const [key, binding, subject] of this.bindingsOf(user)) {
      const cluster = key.startsWith(clusterBindings);
      if (!cluster && (namespace === '' || binding.metadata.namespace !== namespace)) continue;
      const rules = this.rulesOf(binding, cluster);
      if (rules === undefined) {
        const kind = binding.roleRef.kind === 'ClusterRole' ? 'clusterrole' : 'role';
        errors.push(`${kind}.rbac.authorization.k8s.io ${JSON.stringify(binding.roleRef.name)} not found`);
      }
      for (const rule of rules ?? []) yield { rule, binding, subject };
    }
  }

  /** The rules of the role that a binding refers to; `undefined` when there is no such role. */
  rulesOf(binding: AnyBinding, cluster: boolean): readonly PolicyRule[] | undefined {
    const { kind, name } = binding.roleRef;
    const key =
      kind === 'ClusterRole' || cluster
        ? `/registry/clusterroles/${name}`
        : `/registry/roles/${binding.metadata.namespace}/${name}`;
    const role = this.storage.get(key)?.value as Role | ClusterRole | undefined;
    return role && (role.rules ?? []);
  }

  private *bindingsOf(user: UserInfo): Generator<[string, AnyBinding, Subject]> {
    const subjects: [string, Subject][] = [[`User:${user.name}`, { kind: 'User', name: user.name }]];
    for (const group of user.groups) subjects.push([`Group:${group}`, { kind: 'Group', name: group }]);
    const account = /^system:serviceaccount:([^:]+):([^:]+)$/.exec(user.name);
    if (account) {
      const [, namespace = '', name = ''] = account;
      subjects.push([`ServiceAccount:${namespace}/${name}`, { kind: 'ServiceAccount', name, namespace }]);
    }
    // Cluster bindings come first, as upstream checks them first; the reported reason depends on it.
    for (const prefix of [clusterBindings, bindings]) {
      for (const [subjectKey, subject] of subjects) {
        for (const [key, binding] of this.bySubject.get(subjectKey) ?? [])
          if (key.startsWith(prefix)) yield [key, binding, subject];
      }
    }
  }

  private index(key: string, binding: AnyBinding): void {
    for (const subject of binding.subjects ?? []) {
      const subjectKey = keyOf(subject, binding);
      let entries = this.bySubject.get(subjectKey);
      if (!entries) this.bySubject.set(subjectKey, (entries = new Map()));
      entries.set(key, binding);
    }
  }

  private unindex(key: string, binding: AnyBinding): void {
    for (const subject of binding.subjects ?? []) {
      const subjectKey = keyOf(subject, binding);
      const entries = this.bySubject.get(subjectKey);
      entries?.delete(key);
      if (entries?.size === 0) this.bySubject.delete(subjectKey);
    }
  }
}

/** A service account without a namespace is one of the namespace of its binding. */
function keyOf({ kind, name, namespace }: Subject, binding: AnyBinding): string {
  if (kind !== 'ServiceAccount') return `${kind}:${name}`;
  return `ServiceAccount:${namespace || (binding as KubeObject).metadata.namespace || ''}/${name}`;
}

/** Several errors as Go's aggregate prints them: each once, in brackets where there are more. */
export function formatAggregate(errors: readonly string[]): string {
  const distinct = [...new Set(errors)];
  return distinct.length === 1 ? (distinct[0] as string) : `[${distinct.join(', ')}]`;
}

function describe(binding: AnyBinding, subject: Subject): string {
  const { name = '', namespace } = (binding as KubeObject).metadata;
  const own =
    namespace === undefined
      ? `ClusterRoleBinding ${JSON.stringify(name)}`
      : `RoleBinding ${JSON.stringify(`${name}/${namespace}`)}`;
  const whom = subject.kind === 'ServiceAccount' ? `${subject.name}/${subject.namespace}` : subject.name;
  return `${own} of ${binding.roleRef.kind} ${JSON.stringify(binding.roleRef.name)} to ${subject.kind} ${JSON.stringify(whom)}`;
}
