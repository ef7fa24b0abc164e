import { execFile } from 'node:child_process';
import { accessSync, constants, existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { RuntimeError } from '../runtime/runtime-error.ts';

const run = promisify(execFile);

/** The programs that make containers. All but `hostname` are from util-linux and coreutils. */
const toolNames = ['setpriv', 'unshare', 'nsenter', 'mount', 'umount', 'pivot_root', 'mkfifo', 'sh'] as const;
const toolFolders = ['/usr/sbin', '/usr/bin', '/sbin', '/bin'];

/** The search path of programs that prepare containers, whatever the environment says. */
export const toolPath = toolFolders.join(':');

/** The facts of the machine that containers run on. */
export interface HostMachine {
  /** Whether containers need a user namespace because this process is not root. */
  readonly userNamespace: boolean;
  readonly tools: Readonly<Record<(typeof toolNames)[number], string>>;
  /** Device files that exist. */
  readonly devices: readonly string[];
}

/**
 * Inspects the machine, and probes what cannot be read. Rejects with a {@link RuntimeError} when it cannot run
 * containers.
 */
export async function inspectHost(): Promise<HostMachine> {
  const tools = Object.fromEntries(toolNames.map((name) => [name, findTool(name)])) as HostMachine['tools'];
  const userNamespace = process.getuid?.() !== 0;
  await tryNamespaces(tools.unshare, userNamespace);
  return {
    userNamespace,
    tools,
    devices: ['null', 'zero', 'full', 'random', 'urandom', 'tty'].filter((name) => existsSync(`/dev/${name}`)),
  };
}

function findTool(name: string): string {
  for (const folder of toolFolders) {
    const path = join(folder, name);
    try {
      accessSync(path, constants.X_OK);
      return path;
    } catch {
      // Perhaps in the next one.
    }
  }
  throw new RuntimeError(
    'TOOL_MISSING',
    `the program ${name} is needed to run containers as processes and is not in ${toolPath}; install util-linux and coreutils, or use another runtime (podman, simulated)`,
  );
}

async function tryNamespaces(unshare: string, userNamespace: boolean): Promise<void> {
  const flags = ['--mount', '--pid', '--ipc', '--uts', '--fork', '--mount-proc'];
  try {
    await run(unshare, [...(userNamespace ? ['--user', '--map-root-user'] : []), ...flags, '/bin/true']);
  } catch (cause) {
    const said = String((cause as { stderr?: string }).stderr ?? cause).trim();
    if (userNamespace) {
      throw new RuntimeError(
        'USER_NAMESPACES_FORBIDDEN',
        `containers of an ordinary user need user namespaces, and the kernel refuses them (${said}). Ways out: allow them (${userNamespaceHint()}), run tektite as root, or use another runtime (podman, simulated)`,
        { cause },
      );
    }
    throw new RuntimeError(
      'NAMESPACES_FORBIDDEN',
      `the kernel refuses namespaces and mounts to this process (${said}); inside a container it needs CAP_SYS_ADMIN and an unmasked /proc (--privileged). Otherwise use another runtime (simulated)`,
      { cause },
    );
  }
}

/** Which of the switches that distributions have for this is off here. */
function userNamespaceHint(): string {
  const read = (name: string) => {
    try {
      return readFileSync(`/proc/sys/${name}`, 'utf8').trim();
    } catch {
      return undefined;
    }
  };
  if (read('kernel/unprivileged_userns_clone') === '0') return 'sysctl kernel.unprivileged_userns_clone=1';
  if (read('user/max_user_namespaces') === '0') return 'sysctl user.max_user_namespaces=10000';
  if (read('kernel/apparmor_restrict_unprivileged_userns') === '1')
    return 'sysctl kernel.apparmor_restrict_unprivileged_userns=0';
  return 'see sysctl user.max_user_namespaces, and the seccomp profile if this is a container';
}
