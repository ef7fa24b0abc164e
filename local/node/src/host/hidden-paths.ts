import { existsSync, lstatSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Files and folders of the host that are nobody's business in a container: keys, and other programs' state. */
const hidden = [
  '/etc/shadow',
  '/etc/shadow-',
  '/etc/gshadow',
  '/etc/gshadow-',
  '/etc/security/opasswd',
  '/etc/ssl/private',
  '/etc/pki/private',
  '/etc/letsencrypt',
  '/etc/kubernetes',
  '/etc/rancher',
  '/etc/docker/key.json',
  '/etc/wireguard',
  '/etc/NetworkManager/system-connections',
  '/etc/krb5.keytab',
  '/var/backups',
  '/var/log',
  '/var/mail',
  '/var/spool',
  '/var/lib/cloud',
  '/var/lib/containerd',
  '/var/lib/containers',
  '/var/lib/docker',
  '/var/lib/etcd',
  '/var/lib/kubelet',
  '/var/lib/mysql',
  '/var/lib/postgresql',
  '/var/lib/private',
  '/var/lib/rancher',
  '/var/lib/systemd',
];

/** Parts of a fresh /proc that speak of the machine, not of the container, and that root could write or read. */
export const hiddenInProc = [
  'acpi',
  'asound',
  'interrupts',
  'kcore',
  'keys',
  'kmsg',
  'latency_stats',
  'sched_debug',
  'scsi',
].concat(['sysrq-trigger', 'timer_list', 'timer_stats']);

export const readOnlyInProc = ['bus', 'fs', 'irq', 'sys'];

/**
 * Mounts below the folders of the root. A folder is bound without what is mounted in it; but in a user namespace the kernel
 * binds them together, as writable as they are, and so they have to be hidden.
 */
export function nestedMounts(): string[] {
  const points = readFileSync('/proc/self/mountinfo', 'utf8')
    .split('\n')
    .map((line) => line.split(' ')[4] ?? '')
    .map((point) => point.replace(/\\([0-7]{3})/g, (_, code: string) => String.fromCharCode(Number.parseInt(code, 8))))
    .filter((point) => point.split('/').length > 2)
    .sort((a, b) => a.length - b.length);
  const outermost: string[] = [];
  for (const point of points)
    if (!outermost.some((outer) => point === outer || point.startsWith(`${outer}/`))) outermost.push(point);
  return outermost;
}

/** The paths that are hidden on this machine, and whether they are folders. */
export function hiddenPaths(more: readonly string[]): { path: string; folder: boolean }[] {
  const found = [...hidden, ...sshHostKeys(), ...more].filter((path) => existsSync(path));
  return found.map((path) => ({ path, folder: lstatSync(path).isDirectory() }));
}

function sshHostKeys(): string[] {
  const folder = '/etc/ssh';
  if (!existsSync(folder)) return [];
  return readdirSync(folder)
    .filter((name) => /^ssh_host_.*_key$/.test(name))
    .map((name) => join(folder, name));
}
