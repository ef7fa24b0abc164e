import type { ContainerSpec } from '../runtime/pod-runtime.ts';
import { boundingSet } from './capability-set.ts';
import type { HostMachine } from './host-machine.ts';
import type { InnerTools } from './tool-box.ts';
import { enterScript, setupScript, waitScript } from './setup-script.ts';

/** Who a container's processes are. */
export interface ProcessUser {
  readonly uid: number;
  readonly gid: number;
  readonly groups: readonly number[];
}

/** Gives up every right that the container shall not have, and runs the container's program. Without a way back. */
function confine({ userNamespace }: HostMachine, inner: InnerTools, spec: ContainerSpec, user: ProcessUser): string[] {
  const { setpriv, sh, unshare } = inner;
  const rights = ['--no-new-privs', '--inh-caps=-all'];
  const bounds = `--bounding-set=${boundingSet(spec.capabilities, spec.privileged)}`;
  // A change of user makes the kernel forget whose death shall end us: it is set again after.
  const bound = ['--pdeathsig', 'KILL'];
  const enter = [...sh, '-c', enterScript, 'sh'];
  if (!userNamespace) {
    const groups = user.groups.length > 0 ? `--groups=${user.groups.join(',')}` : '--clear-groups';
    return [...setpriv, ...bound, `--reuid=${user.uid}`, `--regid=${user.gid}`, groups, ...rights, bounds, ...enter];
  }
  if (user.uid === 0 && user.gid === 0) return [...setpriv, ...rights, bounds, ...enter];
  // In a user namespace there is one user, ourselves. Another name for it takes another namespace. The kernel lets only those
  // with SETFCAP rename root, so capabilities are not dropped before; the new namespace would restore them anyway. A user in it
  // that is not root has none, and with no_new_privs never gets any. A group other than 0 makes no difference to root.
  const renamed = [...unshare, '--user', `--map-user=${user.uid}`, `--map-group=${user.gid}`];
  const dropped = user.uid === 0 ? [bounds] : [];
  return [...setpriv, ...rights, ...renamed, ...setpriv, ...bound, ...dropped, ...enter];
}

/** We are its only user already; and the groups of a user without rights cannot be changed. */
function enterUserNamespace(nsenter: string, pid: number): string[] {
  return [nsenter, '--target', String(pid), '--user', '--preserve-credentials'];
}

/** The chain of programs that becomes a container. */
export function startCommand(
  machine: HostMachine,
  spec: ContainerSpec,
  user: ProcessUser,
  setup: {
    readonly directory: string;
    readonly cgroups: readonly string[];
    readonly inner: InnerTools;
    readonly pidNamespaceOf?: number;
  },
  command: readonly string[],
): string[] {
  const { tools, userNamespace } = machine;
  const { setpriv, unshare, nsenter, sh } = tools;
  const joinPids =
    setup.pidNamespaceOf === undefined ? [] : [nsenter, '--target', String(setup.pidNamespaceOf), '--pid', '--no-fork'];
  const bound = [setpriv, '--pdeathsig', 'KILL'];
  const { pidNamespaceOf } = setup;
  const enterUser =
    pidNamespaceOf === undefined ? [unshare, '--user', '--map-root-user'] : enterUserNamespace(nsenter, pidNamespaceOf);
  return [
    ...(userNamespace ? enterUser : []),
    // If this process dies, however it does, so does the next one, and with that the container.
    ...bound,
    ...joinPids,
    unshare,
    '--mount',
    '--ipc',
    '--uts',
    ...(pidNamespaceOf === undefined ? ['--pid'] : []),
    sh,
    '-c',
    waitScript,
    'sh',
    ...bound,
    sh,
    '-c',
    setupScript,
    'sh',
    setup.directory,
    spec.sandbox.hostname,
    setup.cgroups.join(':'),
    setup.inner.umount.join(' '),
    ...confine(machine, setup.inner, spec, user),
    spec.workingDir ?? '/',
    ...command,
  ];
}

/** The chain that runs one more program in a container. */
export function execCommand(
  machine: HostMachine,
  spec: ContainerSpec,
  user: ProcessUser,
  target: {
    readonly outerPid: number;
    readonly pid: number;
    readonly cgroups: readonly string[];
    readonly inner: InnerTools;
  },
  command: readonly string[],
): string[] {
  const { tools, userNamespace } = machine;
  const { nsenter, sh } = tools;
  const join = 'IFS=:; for c in $1; do echo 0 >"$c/cgroup.procs"; done; unset IFS; shift; exec "$@"';
  return [
    ...(target.cgroups.length > 0 ? [sh, '-c', join, 'sh', target.cgroups.join(':')] : []),
    ...(userNamespace ? enterUserNamespace(nsenter, target.outerPid) : []),
    nsenter,
    '--target',
    String(target.pid),
    '--mount',
    '--pid',
    '--ipc',
    '--uts',
    ...confine(machine, target.inner, spec, user),
    spec.workingDir ?? '/',
    ...command,
  ];
}
