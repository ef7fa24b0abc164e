import * as baseline from './baseline-checks.ts';
import type { CheckedPod, PodCheck, Violation } from './pod-check.ts';
import type { LevelVersion } from './security-policy.ts';
import * as restricted from './restricted-checks.ts';

/** A check as it was from a minor version of Kubernetes on. */
interface CheckVersion {
  readonly since: number;
  readonly check: PodCheck;
}

interface Check {
  readonly id: string;
  readonly versions: readonly CheckVersion[];
  /** The baseline check that this one includes, from its first version on. */
  readonly replaces?: string;
}

/** The newest version of Kubernetes whose checks are known here. */
const newest = 36;

const seLinuxTypes = ['', 'container_t', 'container_init_t', 'container_kvm_t'];
const safeSysctls = [
  'kernel.shm_rmid_forced',
  'net.ipv4.ip_local_port_range',
  'net.ipv4.tcp_syncookies',
  'net.ipv4.ping_group_range',
  'net.ipv4.ip_unprivileged_port_start',
];
const safeSysctls27 = [...safeSysctls, 'net.ipv4.ip_local_reserved_ports'];
const safeSysctls29 = [
  ...safeSysctls27,
  'net.ipv4.tcp_keepalive_time',
  'net.ipv4.tcp_fin_timeout',
  'net.ipv4.tcp_keepalive_intvl',
  'net.ipv4.tcp_keepalive_probes',
];
const safeSysctls32 = [...safeSysctls29, 'net.ipv4.tcp_rmem', 'net.ipv4.tcp_wmem'];

/** In the order in which violations are reported. */
const baselineChecks: readonly Check[] = [
  { id: 'appArmorProfile', versions: [{ since: 0, check: baseline.appArmorProfile }] },
  { id: 'capabilities_baseline', versions: [{ since: 0, check: baseline.capabilities }] },
  { id: 'hostNamespaces', versions: [{ since: 0, check: baseline.hostNamespaces }] },
  { id: 'hostPathVolumes', versions: [{ since: 0, check: baseline.hostPathVolumes }] },
  { id: 'hostPorts', versions: [{ since: 0, check: baseline.hostPorts }] },
  { id: 'hostProbesAndHostLifecycle', versions: [{ since: 34, check: baseline.probeHosts }] },
  { id: 'privileged', versions: [{ since: 0, check: baseline.privileged }] },
  {
    id: 'procMount',
    versions: [
      { since: 0, check: baseline.procMount },
      { since: 35, check: baseline.procMountUnlessOwnUsers },
    ],
  },
  {
    id: 'seLinuxOptions',
    versions: [
      { since: 0, check: baseline.seLinuxOptions(new Set(seLinuxTypes)) },
      { since: 31, check: baseline.seLinuxOptions(new Set([...seLinuxTypes, 'container_engine_t'])) },
    ],
  },
  {
    id: 'seccompProfile_baseline',
    versions: [
      { since: 0, check: baseline.seccompAnnotations },
      { since: 19, check: baseline.seccompProfile },
    ],
  },
  {
    id: 'sysctls',
    versions: [
      { since: 0, check: baseline.sysctls(new Set(safeSysctls)) },
      { since: 27, check: baseline.sysctls(new Set(safeSysctls27)) },
      { since: 29, check: baseline.sysctls(new Set(safeSysctls29)) },
      { since: 32, check: baseline.sysctls(new Set(safeSysctls32)) },
    ],
  },
  { id: 'windowsHostProcess', versions: [{ since: 0, check: baseline.windowsHostProcess }] },
];

const restrictedChecks: readonly Check[] = [
  {
    id: 'allowPrivilegeEscalation',
    versions: [
      { since: 8, check: restricted.allowPrivilegeEscalation },
      { since: 25, check: restricted.unlessWindows(restricted.allowPrivilegeEscalation) },
    ],
  },
  {
    id: 'capabilities_restricted',
    versions: [
      { since: 22, check: restricted.restrictedCapabilities },
      { since: 25, check: restricted.unlessWindows(restricted.restrictedCapabilities) },
    ],
    replaces: 'capabilities_baseline',
  },
  { id: 'procMount_restricted', versions: [{ since: 35, check: baseline.procMount }], replaces: 'procMount' },
  {
    id: 'restrictedVolumes',
    versions: [{ since: 0, check: restricted.restrictedVolumes }],
    replaces: 'hostPathVolumes',
  },
  {
    id: 'runAsNonRoot',
    versions: [
      { since: 0, check: restricted.runAsNonRoot },
      { since: 35, check: restricted.unlessOwnUsers(restricted.runAsNonRoot) },
    ],
  },
  {
    id: 'runAsUser',
    versions: [
      { since: 23, check: restricted.runAsUser },
      { since: 35, check: restricted.unlessOwnUsers(restricted.runAsUser) },
    ],
  },
  {
    id: 'seccompProfile_restricted',
    versions: [
      { since: 19, check: restricted.restrictedSeccomp },
      { since: 25, check: restricted.unlessWindows(restricted.restrictedSeccomp) },
    ],
    replaces: 'seccompProfile_baseline',
  },
];

/** The violations of a Pod against its level, by the rules of one version of Kubernetes. */
export function evaluatePod({ level, version }: LevelVersion, pod: CheckedPod): Violation[] {
  if (level === 'privileged') return [];
  const minor = version === 'latest' ? newest : Math.min(version, newest);
  const violations: Violation[] = [];
  for (const check of checksOf(level, minor)) {
    const violation = check(pod);
    if (violation) violations.push(violation);
  }
  return violations;
}

const byLevel = new Map<string, readonly PodCheck[]>();

function checksOf(level: 'baseline' | 'restricted', minor: number): readonly PodCheck[] {
  const key = `${level}:${minor}`;
  let checks = byLevel.get(key);
  if (!checks) byLevel.set(key, (checks = selectChecks(level, minor)));
  return checks;
}

function selectChecks(level: 'baseline' | 'restricted', minor: number): PodCheck[] {
  const strict = level === 'restricted' ? restrictedChecks.filter((check) => versionAt(check, minor)) : [];
  const replaced = new Set(strict.map(({ replaces }) => replaces));
  const loose = baselineChecks.filter(({ id }) => !replaced.has(id));
  return [...loose, ...strict].flatMap((check) => versionAt(check, minor) ?? []);
}

function versionAt({ versions }: Check, minor: number): PodCheck | undefined {
  return versions.findLast(({ since }) => since <= minor)?.check;
}

/** Everything that is wrong, with details: `hostPort (container "a" uses hostPort 80), privileged (…)`. */
export function formatDetails(violations: readonly Violation[]): string {
  return violations.map(({ reason, detail }) => (detail === '' ? reason : `${reason} (${detail})`)).join(', ');
}

export function formatReasons(violations: readonly Violation[]): string {
  return violations.map(({ reason }) => reason).join(', ');
}
