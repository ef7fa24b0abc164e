import type { AdmissionOperation, ReviewUser } from '@tektite/controller/webhook';
import { equalJson } from '@tektite/meta';
import type { ByoHost } from '../kinds/byo-host.ts';
import { clusterNameLabel, hostUserPrefix, machineNameAnnotation, machineNameLabel } from '../wire-names.ts';

/** A write to a ByoHost, and by whom. */
export interface HostWrite {
  readonly operation: AdmissionOperation;
  readonly subresource: string;
  readonly user: ReviewUser;
  readonly old: ByoHost | undefined;
  readonly host: ByoHost;
  /** The namespace that the name of the writing agent belongs to; empty when it has lost its rights, undefined without a record. */
  readonly home: string | undefined;
}

export interface HostPolicy {
  /** The accounts of the manager. */
  readonly managers: readonly string[];
  /** Groups whose members may label hosts. */
  readonly adminGroups: readonly string[];
}

/** The host that a user is the agent of. */
export function hostOfUser(username: string): string | undefined {
  return username.startsWith(hostUserPrefix) ? username.slice(hostUserPrefix.length) : undefined;
}

/** Why a write is denied; undefined when it is not. Whether a machine still exists is for the caller to find out. */
export function objectionToWrite(write: HostWrite, policy: HostPolicy): string | undefined {
  const { username = '' } = write.user;
  const { name = '', namespace = '' } = write.host.metadata;
  const agentOf = hostOfUser(username);
  const isOwn = agentOf === name && isAtHome(write);
  const where = agentOf === name ? ` in the namespace ${namespace}, which is not its own` : '';
  if (write.operation === 'DELETE')
    return agentOf === undefined || isOwn ? undefined : `${username} cannot delete resource ${name}${where}`;
  if (policy.managers.includes(username)) return undefined;
  const denial = `${username} cannot create/update resource ${name}`;
  if (agentOf !== undefined) return isOwn ? objectionToAgent(write) : `${denial}${where}`;
  // Roles decide who writes a status at all; only agents are checked here.
  if (write.subresource === 'status') return undefined;
  if (isAdmin(write.user, policy) && changesOnlyMetadata(write)) return undefined;
  return username.split(':').length < 2 ? `${username} is not a valid agent username` : denial;
}

/** One that registered with an earlier version has no record for a moment; it may write what exists, and create nothing. */
function isAtHome({ operation, home, host }: HostWrite): boolean {
  return home === undefined ? operation !== 'CREATE' : home === host.metadata.namespace;
}

function isAdmin({ groups = [] }: ReviewUser, { adminGroups }: HostPolicy): boolean {
  return groups.some((group) => group === 'system:masters' || adminGroups.includes(group));
}

function changesOnlyMetadata({ old, host }: HostWrite): boolean {
  return (
    old !== undefined && equalJson(old.spec ?? {}, host.spec ?? {}) && equalJson(old.status ?? {}, host.status ?? {})
  );
}

/** Set by the manager when a machine takes the host. A host that sets them enters a machine which did not choose it. */
const claimLabels = [clusterNameLabel, machineNameLabel];
const claimAnnotations = [machineNameAnnotation];

/** An agent may give back what its host was given; what it is given is not its to choose. */
function objectionToAgent({ user, old, host }: HostWrite): string | undefined {
  const given = [
    ['spec.bootstrapSecret', old?.spec?.bootstrapSecret, host.spec?.bootstrapSecret],
    ['spec.installationSecret', old?.spec?.installationSecret, host.spec?.installationSecret],
    ['status.machineRef', old?.status?.machineRef, host.status?.machineRef],
    ...claimLabels.map((key) => [`label ${key}`, old?.metadata.labels?.[key], host.metadata.labels?.[key]] as const),
    ...claimAnnotations.map(
      (key) => [`annotation ${key}`, old?.metadata.annotations?.[key], host.metadata.annotations?.[key]] as const,
    ),
  ] as const;
  const taken = given.find(([, before, after]) => after !== undefined && !equalJson(before, after));
  return taken && `${user.username} cannot set ${taken[0]} of ${host.metadata.name}`;
}
