/**
 * The capabilities of a container's root. These are the defaults of container engines, but without
 * - `MKNOD`: nothing here restricts devices, so a device node on a volume would be the host's disk;
 * - `NET_RAW`: in the network of the machine, raw sockets would see all of it; in that of Pods, a Pod could answer for others;
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

/** All of them; the place of a name is the number of its bit. */
const names = [
  ['CHOWN', 'DAC_OVERRIDE', 'DAC_READ_SEARCH', 'FOWNER', 'FSETID', 'KILL', 'SETGID', 'SETUID', 'SETPCAP'],
  ['LINUX_IMMUTABLE', 'NET_BIND_SERVICE', 'NET_BROADCAST', 'NET_ADMIN', 'NET_RAW', 'IPC_LOCK', 'IPC_OWNER'],
  ['SYS_MODULE', 'SYS_RAWIO', 'SYS_CHROOT', 'SYS_PTRACE', 'SYS_PACCT', 'SYS_ADMIN', 'SYS_BOOT', 'SYS_NICE'],
  ['SYS_RESOURCE', 'SYS_TIME', 'SYS_TTY_CONFIG', 'MKNOD', 'LEASE', 'AUDIT_WRITE', 'AUDIT_CONTROL', 'SETFCAP'],
  ['MAC_OVERRIDE', 'MAC_ADMIN', 'SYSLOG', 'WAKE_ALARM', 'BLOCK_SUSPEND', 'AUDIT_READ', 'PERFMON', 'BPF'],
  ['CHECKPOINT_RESTORE'],
].flat();

export class UnknownCapabilityError extends Error {}

/** The capabilities of a container, a bit each. Names may have the prefix `CAP_`, in any case. */
export function capabilityMask(
  { add, drop }: { readonly add: readonly string[]; readonly drop: readonly string[] },
  privileged: boolean,
): bigint {
  if (privileged) return maskOf(names);
  const added = add.map(normalize);
  const dropped = drop.map(normalize);
  const set = new Set(dropped.includes('ALL') ? [] : defaultCapabilities);
  if (added.includes('ALL')) for (const name of names) set.add(name);
  for (const name of dropped) set.delete(name);
  for (const name of added) {
    if (name === 'ALL') continue;
    if (!names.includes(name)) throw new UnknownCapabilityError(`unknown capability "CAP_${name}"`);
    set.add(name);
  }
  return maskOf([...set]);
}

function maskOf(set: readonly string[]): bigint {
  return set.reduce((mask, name) => mask | (1n << BigInt(names.indexOf(name))), 0n);
}

function normalize(name: string): string {
  return name.toUpperCase().replace(/^CAP_/, '');
}
