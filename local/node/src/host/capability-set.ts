/**
 * The capabilities of a container's root. These are the defaults of container engines, but without
 * - `MKNOD`: nothing here restricts devices, so a device node on a volume would be the host's disk;
 * - `NET_RAW`: the network is the host's, and raw sockets would see all of it;
 * - `SYS_CHROOT`: it is seldom needed, and it is half of many ways out. A Pod can ask for them by `capabilities.add`.
 */
const defaultCapabilities = [
  'CHOWN',
  'DAC_OVERRIDE',
  'FOWNER',
  'FSETID',
  'KILL',
  'SETGID',
  'SETUID',
  'SETPCAP',
  'NET_BIND_SERVICE',
  'SETFCAP',
  'AUDIT_WRITE',
];

const known = new Set([
  ...defaultCapabilities,
  'MKNOD',
  'NET_RAW',
  'SYS_CHROOT',
  'DAC_READ_SEARCH',
  'LINUX_IMMUTABLE',
  'NET_BROADCAST',
  'NET_ADMIN',
  'IPC_LOCK',
  'IPC_OWNER',
  'SYS_MODULE',
  'SYS_RAWIO',
  'SYS_PTRACE',
  'SYS_PACCT',
  'SYS_ADMIN',
  'SYS_BOOT',
  'SYS_NICE',
  'SYS_RESOURCE',
  'SYS_TIME',
  'SYS_TTY_CONFIG',
  'LEASE',
  'AUDIT_CONTROL',
  'MAC_OVERRIDE',
  'MAC_ADMIN',
  'SYSLOG',
  'WAKE_ALARM',
  'BLOCK_SUSPEND',
  'AUDIT_READ',
  'PERFMON',
  'BPF',
  'CHECKPOINT_RESTORE',
]);

export class UnknownCapabilityError extends Error {}

/** The bounding set of a container, in the words of `setpriv`. Names may have the prefix `CAP_`, in any case. */
export function boundingSet(
  { add, drop }: { readonly add: readonly string[]; readonly drop: readonly string[] },
  privileged: boolean,
): string {
  if (privileged) return '+all';
  const added = add.map(normalize);
  const dropped = drop.map(normalize);
  const set = new Set(dropped.includes('ALL') ? [] : defaultCapabilities);
  if (added.includes('ALL')) for (const name of known) set.add(name);
  for (const name of dropped) set.delete(name);
  for (const name of added) {
    if (name === 'ALL') continue;
    if (!known.has(name)) throw new UnknownCapabilityError(`unknown capability "CAP_${name}"`);
    set.add(name);
  }
  return ['-all', ...[...set].map((name) => `+${name.toLowerCase()}`)].join(',');
}

function normalize(name: string): string {
  return name.toUpperCase().replace(/^CAP_/, '');
}
