import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { promisify } from 'node:util';
import { RuntimeError } from '../runtime/runtime-error.ts';
import { sandboxProgram } from '../sandbox/sandbox-program.ts';

const run = promisify(execFile);
const probeTimeoutMs = 10_000;

/** The facts of the machine that containers run on. */
export interface HostMachine {
  /** Whether containers need a user namespace because this process is not root. */
  readonly userNamespace: boolean;
  /** The program that makes containers. */
  readonly sandbox: string;
}

/**
 * Inspects the machine, and probes what cannot be read. Rejects with a {@link RuntimeError} when it cannot run
 * containers.
 */
export async function inspectHost(sandbox: string = sandboxProgram()): Promise<HostMachine> {
  const userNamespace = process.getuid?.() !== 0;
  await tryNamespaces(sandbox, userNamespace);
  return { userNamespace, sandbox };
}

async function tryNamespaces(sandbox: string, userNamespace: boolean): Promise<void> {
  try {
    await run(sandbox, ['probe', userNamespace ? 'self' : 'none'], { timeout: probeTimeoutMs });
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
