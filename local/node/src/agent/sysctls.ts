import type { Pod } from '@tektite/schema/kubernetes';

/** Those that kubelets allow without a flag: they are settings of a Pod alone, and harm no other. */
const safe = new Set([
  'kernel.shm_rmid_forced',
  'net.ipv4.ip_local_port_range',
  'net.ipv4.tcp_syncookies',
  'net.ipv4.ping_group_range',
  'net.ipv4.ip_unprivileged_port_start',
  'net.ipv4.ip_local_reserved_ports',
  'net.ipv4.tcp_keepalive_time',
  'net.ipv4.tcp_fin_timeout',
  'net.ipv4.tcp_keepalive_intvl',
  'net.ipv4.tcp_keepalive_probes',
  'net.ipv4.tcp_rmem',
  'net.ipv4.tcp_wmem',
]);

/** Why a Pod with these sysctls is rejected, in the words of kubelets; undefined where all are allowed. */
export function forbiddenSysctl({ spec }: Pod): string | undefined {
  const forbidden = spec?.securityContext?.sysctls?.find(
    ({ name }) => !safe.has(sysctlPath(name).replaceAll('/', '.')),
  );
  return forbidden && `forbidden sysctl: ${JSON.stringify(forbidden.name)} not allowlisted`;
}

/** The path below `/proc/sys`. Names have dots or slashes; the first separator says which, and the other is part of a word. */
export function sysctlPath(name: string): string {
  if (/^[^./]*\//.test(name)) return name;
  return name.replace(/[./]/g, (separator) => (separator === '.' ? '/' : '.'));
}
