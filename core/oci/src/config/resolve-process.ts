import { StoreError } from '../store-error.ts';
import { type Account, type Accounts, idOf } from './accounts.ts';
import type { ImageConfig } from './image-config.ts';

/** The fields of a container's spec that override its image. */
export interface ProcessRequest {
  /** Replaces the entrypoint, and with it the image's arguments. */
  readonly command: readonly string[];
  /** Replaces the image's arguments. */
  readonly args: readonly string[];
  readonly env: ReadonlyMap<string, string>;
  readonly workingDir?: string;
  readonly user: {
    readonly uid?: number;
    readonly gid?: number;
    readonly supplementalGroups: readonly number[];
  };
}

/** The first process of a container: nothing about it is left open. */
export interface ContainerProcess {
  readonly argv: readonly string[];
  readonly env: ReadonlyMap<string, string>;
  readonly cwd: string;
  readonly uid: number;
  readonly gid: number;
  /** Supplementary groups, without `gid`. */
  readonly groups: readonly number[];
  readonly stopSignal: string;
}

const defaultPath = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';

/**
 * Merges a container's spec with the configuration of its image, as a container runtime behind a kubelet does: a command replaces
 * entrypoint and arguments, variables are merged by name, users are looked up in the image's own accounts.
 *
 * Errors: NO_COMMAND, UNKNOWN_USER.
 */
export function resolveProcess(request: ProcessRequest, config: ImageConfig, accounts: Accounts): ContainerProcess {
  const user = resolveUser(request.user, config.user, accounts);
  const env = new Map([['PATH', defaultPath], ...config.env, ...request.env]);
  if (!env.has('HOME')) env.set('HOME', user.home);
  return {
    argv: commandLine(request, config),
    env,
    cwd: request.workingDir || config.workingDir || '/',
    uid: user.uid,
    gid: user.gid,
    groups: user.groups,
    stopSignal: config.stopSignal || 'SIGTERM',
  };
}

function commandLine({ command, args }: ProcessRequest, { entrypoint, cmd }: ImageConfig): readonly string[] {
  const argv = command.length > 0 ? [...command, ...args] : [...entrypoint, ...(args.length > 0 ? args : cmd)];
  if (argv.length === 0) throw new StoreError('NO_COMMAND', 'no command specified');
  return argv;
}

interface ResolvedUser {
  readonly uid: number;
  readonly gid: number;
  readonly groups: readonly number[];
  readonly home: string;
}

/** The user of the spec by number, else that of the image. The group is the spec's, the image's, that of the account, or root's. */
function resolveUser(own: ProcessRequest['user'], imageUser: string, accounts: Accounts): ResolvedUser {
  const [userName = '', groupName = ''] = own.uid === undefined ? imageUser.split(':', 2) : [];
  const account = own.uid === undefined ? findAccount(userName, accounts) : accountOf(own.uid, accounts);
  const gid = own.gid ?? (groupName === '' ? account.gid : findGroup(groupName, accounts));
  const memberships = accounts.groups.filter(({ members }) => account.name !== '' && members.includes(account.name));
  const groups = new Set([...memberships.map((group) => group.gid), ...own.supplementalGroups]);
  groups.delete(gid);
  return { uid: account.uid, gid, groups: [...groups], home: account.home || '/' };
}

function findAccount(user: string, accounts: Accounts): Account {
  if (user === '') return accountOf(0, accounts);
  const named = accounts.users.find(({ name }) => name === user);
  if (named) return named;
  const uid = idOf(user);
  if (uid === undefined)
    throw new StoreError('UNKNOWN_USER', `unable to find user ${user}: no matching entries in passwd file`);
  return accountOf(uid, accounts);
}

/** An id needs no account: without one, its group is root's. */
function accountOf(uid: number, accounts: Accounts): Account {
  return accounts.users.find((each) => each.uid === uid) ?? { name: '', uid, gid: 0, home: '' };
}

function findGroup(group: string, accounts: Accounts): number {
  const gid = accounts.groups.find(({ name }) => name === group)?.gid ?? idOf(group);
  if (gid === undefined)
    throw new StoreError('UNKNOWN_USER', `unable to find group ${group}: no matching entries in group file`);
  return gid;
}
