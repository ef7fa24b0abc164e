import type { Client } from '@tektite/client';
import { kinds } from '@tektite/client';
import { controllerReference, type KubeObject, type OwnerReference } from '@tektite/meta';
import type { PolicyRule, Role, RoleBinding } from '@tektite/schema/kubernetes';
import type { ByoHost } from '../kinds/byo-host.ts';
import type { ByoMachine } from '../kinds/byo-machine.ts';
import { group, hostPartLabel, hostUserPrefix } from '../wire-names.ts';

/** What one host is allowed, and nobody else: a Role and who has it. */
export interface HostAccess {
  readonly role: Role;
  readonly binding: RoleBinding;
}

/** Its own ByoHost and its own heartbeat. Goes with the ByoHost. */
export function ownAccess(host: ByoHost): HostAccess {
  const { name = '', namespace = '' } = host.metadata;
  return access(name, namespace, `byoh-host-${name}`, controllerReference(host), [
    {
      apiGroups: [group],
      resources: ['byohosts'],
      resourceNames: [name],
      verbs: ['get', 'list', 'watch', 'update', 'patch'],
    },
    { apiGroups: [group], resources: ['byohosts/status'], resourceNames: [name], verbs: ['get', 'update', 'patch'] },
    {
      apiGroups: ['coordination.k8s.io'],
      resources: ['leases'],
      resourceNames: [heartbeatName(name)],
      verbs: ['get', 'update', 'patch'],
    },
  ]);
}

/**
 * The Secrets that its machine has for it. Goes with the machine. Its name begins otherwise than those of the other Roles, so
 * that no host can be called in a way that gives it another's.
 */
export function secretAccess(host: ByoHost, machine: ByoMachine, secrets: readonly string[]): HostAccess {
  const { name = '' } = host.metadata;
  return access(name, machine.metadata.namespace ?? '', `byoh-secrets-${name}`, controllerReference(machine), [
    { apiGroups: [''], resources: ['secrets'], resourceNames: [...new Set(secrets)].sort(), verbs: ['get'] },
  ]);
}

const heartbeatPrefix = 'byoh-host-';

export function heartbeatName(host: string): string {
  return `${heartbeatPrefix}${host}`;
}

/** Whose heartbeat it is. Not from a label: names of hosts may be longer than labels. */
export function hostOfHeartbeat({ metadata }: Pick<KubeObject, 'metadata'>): string {
  return metadata.name?.startsWith(heartbeatPrefix) ? metadata.name.slice(heartbeatPrefix.length) : '';
}

function access(
  host: string,
  namespace: string,
  name: string,
  owner: OwnerReference,
  rules: readonly PolicyRule[],
): HostAccess {
  const metadata = { name, namespace, labels: { [hostPartLabel]: '' }, ownerReferences: [owner] };
  const apiGroup = 'rbac.authorization.k8s.io';
  return {
    role: { apiVersion: `${apiGroup}/v1`, kind: 'Role', metadata, rules: [...rules] },
    binding: {
      apiVersion: `${apiGroup}/v1`,
      kind: 'RoleBinding',
      metadata,
      roleRef: { apiGroup, kind: 'Role', name },
      subjects: [{ apiGroup, kind: 'User', name: `${hostUserPrefix}${host}` }],
    },
  };
}

const fieldManager = 'byoh-manager';

/** Has it so, whoever had it before. */
export async function grant(client: Client, { role, binding }: HostAccess, signal: AbortSignal): Promise<void> {
  await client.apply(kinds.Role, role as never, { force: true, fieldManager, signal });
  await client.apply(kinds.RoleBinding, binding as never, { force: true, fieldManager, signal });
}
