import type { Client } from '@tektite/client';
import { kinds } from '@tektite/client';
import { controllerReference, type KubeObject, type OwnerReference } from '@tektite/meta';
import type { PolicyRule, Role, RoleBinding } from '@tektite/schema/kubernetes';
import type { ByoHost } from '../kinds/byo-host.ts';
import type { ByoMachine } from '../kinds/byo-machine.ts';
import { group, hostPartLabel, hostUserPrefix } from '../wire-names.ts';

/** Rights of one host: a Role, and its binding to the user that the host is. */
export interface HostAccess {
  readonly role: Role;
  readonly binding: RoleBinding;
}

/**
 * Its own ByoHost, its own heartbeat, and Events, in its home. RBAC cannot limit `create` by name: that a host registers under
 * its own name is for the webhook. The Lease of the heartbeat is the manager's to create.
 */
export function ownAccess(name: string, namespace: string): HostAccess {
  return access(name, namespace, `${ownPrefix}${name}`, undefined, [
    { apiGroups: [group], resources: ['byohosts'], verbs: ['create'] },
    { apiGroups: [''], resources: ['events'], verbs: ['create'] },
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
  return access(name, machine.metadata.namespace ?? '', `${secretsPrefix}${name}`, controllerReference(machine), [
    { apiGroups: [''], resources: ['secrets'], resourceNames: [...new Set(secrets)].sort(), verbs: ['get'] },
  ]);
}

const ownPrefix = 'byoh-host-';
const secretsPrefix = 'byoh-secrets-';

/** The host that a Role or its binding is for. */
export function hostOfAccess({
  metadata,
}: Pick<KubeObject, 'metadata'>): { readonly type: 'own' | 'secrets'; readonly host: string } | undefined {
  const { name = '' } = metadata;
  if (name.startsWith(ownPrefix)) return { type: 'own', host: name.slice(ownPrefix.length) };
  if (name.startsWith(secretsPrefix)) return { type: 'secrets', host: name.slice(secretsPrefix.length) };
  return undefined;
}

const heartbeatPrefix = 'byoh-host-';

export function heartbeatName(host: string): string {
  return `${heartbeatPrefix}${host}`;
}

/** The Lease of the heartbeat. The host only renews it, so that a host creates no Lease at all. */
export async function createHeartbeat(client: Client, host: ByoHost, signal: AbortSignal): Promise<void> {
  const { name = '', namespace = '' } = host.metadata;
  const metadata = {
    name: heartbeatName(name),
    namespace,
    labels: { [hostPartLabel]: '' },
    ownerReferences: [controllerReference(host)],
  };
  await client.apply(kinds.Lease, { metadata }, { force: true, fieldManager, signal });
}

/** Whose heartbeat it is. Not from a label: names of hosts may be longer than labels. */
export function hostOfHeartbeat({ metadata }: Pick<KubeObject, 'metadata'>): string {
  return metadata.name?.startsWith(heartbeatPrefix) ? metadata.name.slice(heartbeatPrefix.length) : '';
}

function access(
  host: string,
  namespace: string,
  name: string,
  owner: OwnerReference | undefined,
  rules: readonly PolicyRule[],
): HostAccess {
  const metadata = { name, namespace, labels: { [hostPartLabel]: '' }, ...(owner ? { ownerReferences: [owner] } : {}) };
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

export const fieldManager = 'byoh-manager';

/** Applies both, whichever manager had the fields before. */
export async function grant(client: Client, { role, binding }: HostAccess, signal: AbortSignal): Promise<void> {
  await client.apply(kinds.Role, role as never, { force: true, fieldManager, signal });
  await client.apply(kinds.RoleBinding, binding as never, { force: true, fieldManager, signal });
}
