import type { PackageSystem } from '../installer/scripts/package-system.ts';
import { bundlePackages } from '../installer/scripts/script-inputs.ts';

/** The hosts that a bundle is for. */
export interface BundleTarget {
  /** `v1.36.4`. */
  readonly k8sVersion: string;
  /** As hosts report it: amd64, arm64. */
  readonly architecture: string;
}

/** The files of a bundle among those that the user has, by their names in the bundle. */
export interface ChosenFiles {
  /** `kubelet.deb` is `kubelet_1.36.4-1.1_amd64.deb`. */
  readonly packages: ReadonlyMap<string, string>;
  /** A release archive that is rooted at `/`, or the programs that one is made of. */
  readonly containerd: { readonly archive: string } | { readonly programs: string; readonly runc: string };
}

/** The packages that have the version of Kubernetes; the others have their own. */
const versioned = ['kubeadm', 'kubectl', 'kubelet'];

/**
 * Finds what a bundle needs in a folder of downloads, by the names that packages and releases have. Returns what is missing, or is there
 * twice, all at once.
 *
 * @example
 * chooseFiles(await readdir('downloads'), { k8sVersion: 'v1.36.4', architecture: 'amd64' }, 'deb');
 */
export function chooseFiles(
  names: readonly string[],
  target: BundleTarget,
  system: PackageSystem,
): ChosenFiles | { readonly problems: readonly string[] } {
  const problems: string[] = [];
  const one = (what: string, found: readonly string[]): string => {
    if (found.length === 0) problems.push(`there is no ${what}`);
    if (found.length > 1) problems.push(`there are several of ${what}: ${[...found].sort().join(', ')}`);
    return found[0] ?? '';
  };
  const packages = new Map(
    bundlePackages.map((name) => {
      const version = versioned.includes(name) ? target.k8sVersion.replace(/^v/, '') : undefined;
      const found = names.filter((file) => isPackage(file, { name, version, system }, target.architecture));
      const what = fileName(name, version ?? 'VERSION', system, target.architecture);
      return [`${name}.${system}`, one(what, found)] as const;
    }),
  );
  const containerd = chooseContainerd(names, target, one);
  return problems.length > 0 ? { problems } : { packages, containerd };
}

/** Names of files: `kubelet_1.36.4-1.1_amd64.deb`, `kubelet-1.36.4-150500.1.1.x86_64.rpm`. */
const fileNames: Readonly<Record<PackageSystem, RegExp>> = {
  deb: /^(?<of>[a-z0-9.+-]+)_(?<given>[^_]+)_(?<arch>[a-z0-9]+)\.deb$/,
  rpm: /^(?<of>[A-Za-z0-9._+-]+)-(?<given>[^-]+-[^-]+)\.(?<arch>[a-z0-9_]+)\.rpm$/,
};

/** Architectures as rpm spells them. */
const rpmArchitectures = new Map([
  ['amd64', 'x86_64'],
  ['arm64', 'aarch64'],
]);

function fileName(name: string, version: string, system: PackageSystem, architecture: string): string {
  if (system === 'deb') return `${name}_${version}_${architecture}.deb`;
  return `${name}-${version}.${rpmArchitectures.get(architecture) ?? architecture}.rpm`;
}

interface WantedPackage {
  readonly name: string;
  readonly version: string | undefined;
  readonly system: PackageSystem;
}

/** Packages for all architectures are `all` in Debian and `noarch` in rpm. */
function isPackage(file: string, { name, version, system }: WantedPackage, architecture: string): boolean {
  const { of, given = '', arch = '' } = fileNames[system].exec(file)?.groups ?? {};
  const fitting =
    system === 'deb' ? [architecture, 'all'] : [rpmArchitectures.get(architecture) ?? architecture, 'noarch'];
  if (of !== name || !fitting.includes(arch)) return false;
  return version === undefined || given === version || given.startsWith(`${version}-`);
}

function chooseContainerd(
  names: readonly string[],
  { architecture }: BundleTarget,
  one: (what: string, found: readonly string[]) => string,
): ChosenFiles['containerd'] {
  const whole = names.filter(
    (name) => /^cri-containerd(-cni)?-.*\.tar(\.gz)?$/.test(name) && name.includes(architecture),
  );
  if (whole.length > 0) return { archive: one('cri-containerd-cni-VERSION.tar.gz', whole) };
  const programs = names.filter(
    (name) => /^containerd-\d.*\.tar\.gz$/.test(name) && name.includes(`linux-${architecture}`),
  );
  return {
    programs: one(`containerd-VERSION-linux-${architecture}.tar.gz`, programs),
    runc: one(
      `runc.${architecture}`,
      names.filter((name) => name === `runc.${architecture}`),
    ),
  };
}
