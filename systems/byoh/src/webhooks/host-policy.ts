import type { AdmissionOperation, ReviewUser } from '@tektite/controller';
import { equalJson } from '@tektite/meta';
import type { ByoHost } from '../kinds/byo-host.ts';
import { hostUserPrefix } from '../wire-names.ts';

/** A write to a ByoHost, and by whom. */
export interface HostWrite {
  readonly operation: AdmissionOperation;
  readonly subresource: string;
  readonly user: ReviewUser;
  readonly old: ByoHost | undefined;
  readonly host: ByoHost;
}

export interface HostPolicy {
  /** The accounts of the manager. */
  readonly managers: readonly string[];
  /** Groups whose members may label hosts. */
  readonly adminGroups: readonly string[];
}

/** Why a write is refused; undefined when it is not. Whether a machine still exists is for the caller to find out. */
export function objectionToWrite(write: HostWrite, policy: HostPolicy): string | undefined {
  const { username = '' } = write.user;
  const { name = '' } = write.host.metadata;
  const agentOf = username.startsWith(hostUserPrefix) ? username.slice(hostUserPrefix.length) : undefined;
  if (write.operation === 'DELETE')
    return agentOf !== undefined && agentOf !== name ? `${username} cannot delete resource ${name}` : undefined;
  if (policy.managers.includes(username)) return undefined;
  const refusal = `${username} cannot create/update resource ${name}`;
  if (agentOf !== undefined) return agentOf === name ? objectionToAgent(write) : refusal;
  // Who may write a status at all is the roles' business; agents alone are looked at here.
  if (write.subresource === 'status') return undefined;
  if (isAdmin(write.user, policy) && changesOnlyMetadata(write)) return undefined;
  return username.split(':').length < 2 ? `${username} is not a valid agent username` : refusal;
}

function isAdmin({ groups = [] }: ReviewUser, { adminGroups }: HostPolicy): boolean {
  return groups.some((group) => group === 'system:masters' || adminGroups.includes(group));
}

function changesOnlyMetadata({ old, host }: HostWrite): boolean {
  return (
    old !== undefined && equalJson(old.spec ?? {}, host.spec ?? {}) && equalJson(old.status ?? {}, host.status ?? {})
  );
}

/** An agent may give back what its host was given; what it is given is not its to choose. */
function objectionToAgent({ user, old, host }: HostWrite): string | undefined {
  const given = [
    ['spec.bootstrapSecret', old?.spec?.bootstrapSecret, host.spec?.bootstrapSecret],
    ['spec.installationSecret', old?.spec?.installationSecret, host.spec?.installationSecret],
    ['status.machineRef', old?.status?.machineRef, host.status?.machineRef],
  ] as const;
  const taken = given.find(([, before, after]) => after !== undefined && !equalJson(before, after));
  return taken && `${user.username} cannot set ${taken[0]} of ${host.metadata.name}`;
}
