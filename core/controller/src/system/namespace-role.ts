import type { PolicyRule, Role } from '@tektite/schema/kubernetes';
import type { System } from './system.ts';

/** Where a system's processes keep what is theirs. */
export interface NamespaceRoleOptions {
  /** Of Leases and of the webhooks' certificate. */
  readonly namespace: string;
  /** Default that of the cluster role. */
  readonly name?: string;
  /** The Service in front of the webhooks. Default `tektite-webhook`. */
  readonly webhookService?: string;
}

/** The permissions of a system's controllers in their own namespace: Leases, and the webhooks' certificate. */
export function namespaceRoleFor(system: System, options: NamespaceRoleOptions): Role {
  const { namespace, name = `tektite-${system.name}`, webhookService = 'tektite-webhook' } = options;
  const rules: PolicyRule[] = [
    { apiGroups: ['coordination.k8s.io'], resources: ['leases'], verbs: ['create', 'get', 'list', 'update', 'watch'] },
  ];
  if (system.webhooks?.length) {
    const secrets = { apiGroups: [''], resources: ['secrets'] };
    rules.push({ ...secrets, verbs: ['create'] });
    rules.push({ ...secrets, resourceNames: [`${webhookService}-certs`], verbs: ['get', 'update'] });
  }
  return { apiVersion: 'rbac.authorization.k8s.io/v1', kind: 'Role', metadata: { name, namespace }, rules };
}
