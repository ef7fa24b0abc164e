import type { HostInfo } from '../kinds/byo-host.ts';
import type { PackageSystem } from './scripts/package-system.ts';

/** One line of the registry: which hosts it is for, which versions, and which bundles those are. */
export interface RegistryRow {
  /** The host's release as its os-release names it; `*` stands for anything. */
  readonly os: string;
  /** As the host reports it: amd64, arm64. */
  readonly arch: readonly string[];
  /** `v1.26.*`, or an exact version. */
  readonly kubernetes: readonly string[];
  /** How the release is called in the names of bundles. */
  readonly bundleOs: string;
  /** The packages of those hosts, and of their bundles. Default `deb`. */
  readonly packages?: PackageSystem;
}

const minors = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, i) => `v1.${from + i}.*`);

/** The platforms that upstream ever published bundles for. */
const upstreamRows: readonly RegistryRow[] = [
  { os: 'Ubuntu 20.04*', arch: ['amd64'], kubernetes: minors(24, 26), bundleOs: 'Ubuntu_20.04.1' },
];

/** Platforms of this project: the scripts support them, the bundles are built by users. */
const ownRows: readonly RegistryRow[] = [
  { os: 'Ubuntu 20.04*', arch: ['amd64', 'arm64'], kubernetes: minors(24, 36), bundleOs: 'Ubuntu_20.04.1' },
  { os: 'Ubuntu 22.04*', arch: ['amd64', 'arm64'], kubernetes: minors(24, 36), bundleOs: 'Ubuntu_22.04' },
  { os: 'Ubuntu 24.04*', arch: ['amd64', 'arm64'], kubernetes: minors(28, 36), bundleOs: 'Ubuntu_24.04' },
  { os: 'Debian GNU/Linux 12*', arch: ['amd64', 'arm64'], kubernetes: minors(26, 36), bundleOs: 'Debian_12' },
  { os: 'Debian GNU/Linux 13*', arch: ['amd64', 'arm64'], kubernetes: minors(30, 36), bundleOs: 'Debian_13' },
  ...['Rocky Linux 9*', 'Red Hat Enterprise Linux 9*'].map((os) => ({
    os,
    arch: ['amd64', 'arm64'],
    kubernetes: minors(28, 36),
    bundleOs: os.startsWith('Rocky') ? 'Rocky_9' : 'RHEL_9',
    packages: 'rpm' as const,
  })),
];

/** The default platforms. The first row that fits counts. */
export const standardRows: readonly RegistryRow[] = [...upstreamRows, ...ownRows];

/** Architectures as bundles spell them. */
const bundleArch = new Map([['amd64', 'x86-64']]);

export type Resolution =
  | { readonly ok: true; readonly bundle: string; readonly packages: PackageSystem }
  | { readonly ok: false; readonly failureReason: string; readonly failureMessage: string };

/** Whether unknown versions are refused (the default), or left to be missed on the host, as upstream does. */
export interface ResolveOptions {
  readonly strictVersion?: boolean;
}

/**
 * The name of the bundle for a host and a version, `byoh-bundle-ubuntu_20.04.1_x86-64_k8s:v1.26.6`, or why there is none.
 */
export function resolveBundle(
  rows: readonly RegistryRow[],
  host: HostInfo,
  k8sVersion: string,
  { strictVersion = true }: ResolveOptions = {},
): Resolution {
  const { osimage = '', architecture = '' } = host;
  const ofSystem = rows.filter(({ os }) => matchesGlob(os, osimage));
  if (ofSystem.length === 0)
    return refuse(
      'UnsupportedOS',
      `No k8s support for OS: ${quote(osimage)} is none of`,
      rows.map(({ os }) => os),
    );
  const ofArch = ofSystem.filter(({ arch }) => arch.includes(architecture));
  if (ofArch.length === 0)
    return refuse(
      'UnsupportedArch',
      `${quote(osimage)} on ${quote(architecture)} is not supported; it is on`,
      ofSystem.flatMap(({ arch }) => arch),
    );
  const isTag = /^v\d+\.\d+\.\d+(?:[.-][A-Za-z0-9.-]{1,64})?$/.test(k8sVersion);
  const fitting = ofArch.find(({ kubernetes }) => kubernetes.some((pattern) => matchesGlob(pattern, k8sVersion)));
  const row = isTag && (strictVersion ? fitting : (fitting ?? ofArch[0]));
  if (!row)
    return refuse(
      'UnsupportedKubernetesVersion',
      `Kubernetes ${quote(k8sVersion)} is not supported on ${quote(osimage)}; supported are`,
      ofArch.flatMap(({ kubernetes }) => kubernetes),
    );
  const arch = bundleArch.get(architecture) ?? architecture;
  return {
    ok: true,
    bundle: `${slug(`byoh-bundle-${row.bundleOs}_${arch}_k8s`)}:${k8sVersion}`,
    packages: row.packages ?? 'deb',
  };
}

function refuse(failureReason: string, start: string, supported: readonly string[]): Resolution {
  return { ok: false, failureReason, failureMessage: `${start} ${[...new Set(supported)].join(', ')}` };
}

const quote = (text: string) => JSON.stringify(text.slice(0, 200));

/** A valid name for registries. */
function slug(text: string): string {
  return text.toLowerCase().replaceAll(/[^a-z0-9._-]+/g, '_');
}

/** `*` stands for anything; everything else for itself. */
export function matchesGlob(pattern: string, text: string): boolean {
  const parts = pattern.split('*');
  const [first = ''] = parts;
  if (parts.length === 1) return text === first;
  const last = parts.at(-1) ?? '';
  if (!text.startsWith(first) || !text.endsWith(last) || text.length < first.length + last.length) return false;
  let at = first.length;
  for (const part of parts.slice(1, -1)) {
    const found = text.indexOf(part, at);
    if (found < 0) return false;
    at = found + part.length;
  }
  return at <= text.length - last.length;
}
