import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { createFolder } from '@tektite/client';
import type { Clock } from '@tektite/meta';
import { archName, defaultRoute, prettyName } from './read-facts.ts';
import { runProcess } from './run-process.ts';
import type { Sandbox } from './sandbox.ts';
import { writeShims } from './shims.ts';

export interface OverlayOptions {
  readonly clock: Clock;
  /** Where the sandbox keeps its copy: on another file system than the root of the machine, such as /dev/shm. */
  readonly root: string;
  /** The host name inside. */
  readonly name: string;
  /** Folders of the machine that are empty in there. */
  readonly masks?: readonly string[];
  /** Without a default route, as on machines that are not connected. */
  readonly isOffline?: boolean;
  readonly environment?: Readonly<Record<string, string>>;
}

/** The agent's folder inside. */
export const insideFolder = '/run/byoh-agent';
const path = `${insideFolder}/shims:${insideFolder}/bin:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin`;

/**
 * A copy of this machine that can be thrown away: scripts run as root in separate namespaces, on an overlay of the root
 * file system, with stand-ins for what would reach the kernel. Their changes are in `root` and nowhere else, and
 * persist. Needs root, and a kernel that lets it make namespaces and overlays; see {@link overlayProblem}.
 */
export async function overlaySandbox(options: OverlayOptions): Promise<Sandbox> {
  const { clock, root, name } = options;
  const agent = join(root, 'agent');
  for (const folder of ['upper', 'work', 'merged', 'run', 'agent']) createFolder(join(root, folder));
  await writeShims(join(agent, 'shims'), join(agent, 'shim'));
  const enter = join(agent, 'enter.sh');
  await writeFile(enter, enterScript(options), { mode: 0o700 });
  const unshare = [
    'unshare',
    '--mount',
    '--pid',
    '--fork',
    '--uts',
    '--ipc',
    '--net',
    '--kill-child',
    '--propagation',
    'private',
  ] as const;
  const place = {
    clock,
    folder: agent,
    environment: { ...process.env, HOME: '/root', ...options.environment, PATH: path },
    command: (file: string) => [...unshare, '/bin/bash', enter, `${insideFolder}/${basename(file)}`] as const,
  };
  const run: Sandbox['run'] = (script, each) => runProcess(place, script, each);
  return {
    mode: 'overlay',
    run,
    async facts() {
      const script = 'cat /etc/os-release 2>/dev/null || cat /usr/lib/os-release\necho ----\ncat /proc/net/route\n';
      const { exitCode, tail } = await run(script, { name: 'facts', timeoutMs: 60_000 });
      if (exitCode !== 0) throw new Error(`the sandbox ${name} cannot be entered: ${tail}`);
      const [release = '', routes = ''] = tail.split('----\n');
      const defaultInterface = defaultRoute(routes);
      return {
        info: { osname: 'linux', osimage: prettyName(release), architecture: archName() },
        network:
          defaultInterface === undefined
            ? []
            : [{ connected: true, isDefault: true, macAddr: '', networkInterfaceName: defaultInterface }],
        ...(defaultInterface === undefined ? {} : { defaultInterface }),
      };
    },
  };
}

/** The folders of this machine's code are hidden. */
const standardMasks = ['/home', '/root', '/mnt', '/media', process.cwd(), tmpdir()];

function enterScript({ root, name, masks = standardMasks, isOffline }: OverlayOptions): string {
  const quote = (text: string) => `'${text.replaceAll("'", "'\\''")}'`;
  return `#!/bin/bash
# Enters the sandbox: runs in new namespaces, before anything of the scripts does.
set -eu
PATH=/usr/sbin:/usr/bin:/sbin:/bin
root=${quote(root)}
merged=$root/merged
hostname ${quote(name)}
mount -t overlay overlay -o "lowerdir=/,upperdir=$root/upper,workdir=$root/work" "$merged"
mount -t proc proc "$merged/proc"
mount --bind "$merged/proc/sys" "$merged/proc/sys"
mount -o remount,bind,ro "$merged/proc/sys"
mount -t tmpfs -o mode=755 tmpfs "$merged/dev"
for device in null zero full random urandom; do
  : >"$merged/dev/$device"
  mount --bind "/dev/$device" "$merged/dev/$device"
done
ln -s /proc/self/fd "$merged/dev/fd"
ln -s /proc/self/fd/0 "$merged/dev/stdin"
ln -s /proc/self/fd/1 "$merged/dev/stdout"
ln -s /proc/self/fd/2 "$merged/dev/stderr"
mount --bind "$root/run" "$merged/run"
mkdir -p "$merged/run/byoh-agent"
mount --bind "$root/agent" "$merged/run/byoh-agent"
for mask in ${masks.map(quote).join(' ')}; do
  if [ -d "$merged$mask" ] && [ "$mask" != / ]; then mount -t tmpfs -o mode=755 tmpfs "$merged$mask"; fi
done
mount -t tmpfs -o mode=1777 tmpfs "$merged/tmp"
ip link set lo up
${
  isOffline
    ? ''
    : `# Some kernels have no such links; then the default route is a way to itself.
if ip link add byoh0 type veth peer name byoh1 2>/dev/null; then
  ip address add 192.0.2.10/24 dev byoh0
  ip link set byoh0 up
  ip link set byoh1 up
  ip route add default via 192.0.2.1 dev byoh0
else
  ip route add default dev lo
fi
`
}cd "$merged"
# Not in place of this shell, which is the first process in there: that one cannot be killed as others can.
PATH=${path} /usr/bin/setpriv --bounding-set -sys_module,-sys_boot,-sys_time,-sys_rawio /usr/sbin/chroot "$merged" /bin/bash "$1" && exit 0
exit $?
`;
}

/** Why this machine cannot have such sandboxes; undefined when it can. */
export async function overlayProblem(parent = '/dev/shm'): Promise<string | undefined> {
  if (process.getuid?.() !== 0) return 'only root can make namespaces and overlays here';
  const [own, machine] = await Promise.all([stat(parent).catch(() => undefined), stat('/')]);
  if (!own) return `there is no ${parent}`;
  if (own.dev === machine.dev) return `${parent} is on the same file system as /`;
  const root = await mkdtemp(join(parent, 'tektite-probe-'));
  try {
    for (const folder of ['upper', 'work', 'merged']) await mkdir(join(root, folder));
    const script = `mount -t overlay overlay -o lowerdir=/,upperdir=${root}/upper,workdir=${root}/work ${root}/merged && chroot ${root}/merged /bin/true`;
    const child = spawn(
      'unshare',
      ['-m', '-p', '-f', '-u', '-i', '-n', '--propagation', 'private', 'bash', '-c', script],
      {
        stdio: ['ignore', 'ignore', 'pipe'],
      },
    );
    let text = '';
    child.stderr.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
    const [code] = (await once(child, 'close')) as [number | null];
    return code === 0 ? undefined : `namespaces or overlays cannot be made: ${text.trim()}`;
  } catch (error) {
    return `namespaces cannot be made: ${(error as Error).message}`;
  } finally {
    await rm(root, { recursive: true, force: true });
  }
}
