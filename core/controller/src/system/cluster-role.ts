import type { Kind } from '@tektite/schema';
import type { ClusterRole, PolicyRule } from '@tektite/schema/kubernetes';
import type { System } from './system.ts';

const read = ['get', 'list', 'watch'];

/**
 * What the account of a system's controllers has to be allowed: to read what they watch, to write status and finalizers of
 * the kinds they reconcile, to tell Events, to hold Leases; and what the system says its reconcilers do besides.
 */
export function clusterRoleFor(system: System, name: string = `tektite-${system.name}`): ClusterRole {
  const rules = new RuleSet();
  for (const { kind, finalizer, sources = [] } of system.controllers) {
    rules.allow(kind, read);
    if (finalizer) {
      rules.allow(kind, ['patch']);
      // Writing a finalizer is guarded by this, too, where owner references are.
      rules.allow(kind, ['update'], 'finalizers');
    }
    if (kind.subresources.status) rules.allow(kind, ['patch'], 'status');
    for (const { watches } of sources) if (watches) rules.allow(watches, read);
  }
  const events: PolicyRule = { apiGroups: ['', 'events.k8s.io'], resources: ['events'], verbs: ['create', 'patch'] };
  const leases: PolicyRule = {
    apiGroups: ['coordination.k8s.io'],
    resources: ['leases'],
    verbs: ['create', 'get', 'update'],
  };
  return {
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'ClusterRole',
    metadata: { name },
    rules: [...rules.list(), events, leases, ...(system.permissions ?? [])],
  };
}

/** Rules by resource, each verb once. */
class RuleSet {
  private readonly verbs = new Map<
    string,
    { readonly group: string; readonly resource: string; readonly verbs: Set<string> }
  >();

  allow({ group, plural }: Pick<Kind, 'group' | 'plural'>, verbs: readonly string[], subresource?: string): void {
    const resource = subresource ? `${plural}/${subresource}` : plural;
    const id = `${group}/${resource}`;
    const entry = this.verbs.get(id) ?? { group, resource, verbs: new Set<string>() };
    for (const verb of verbs) entry.verbs.add(verb);
    this.verbs.set(id, entry);
  }

  list(): readonly PolicyRule[] {
    return [...this.verbs.values()].map(({ group, resource, verbs }) => ({
      apiGroups: [group],
      resources: [resource],
      verbs: [...verbs].sort(),
    }));
  }
}
