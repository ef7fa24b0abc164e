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
 * chooseFiles(await readdir('downloads'), { k8sVersion: 'v1.36.4', architecture: 'amd64' });
 */
export function chooseFiles(
  names: readonly string[],
  target: BundleTarget,
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
      const what = `${name}_${version ?? 'VERSION'}_${target.architecture}.deb`;
      const found = names.filter((file) => isPackage(file, name, version, target.architecture));
      return [`${name}.deb`, one(what, found)] as const;
    }),
  );
  const containerd = chooseContainerd(names, target, one);
  return problems.length > 0 ? { problems } : { packages, containerd };
}

/** `kubelet_1.36.4-1.1_amd64.deb`; packages for all architectures say `all`. */
function isPackage(file: string, name: string, version: string | undefined, architecture: string): boolean {
  const [, of, given = '', arch = ''] = /^([a-z0-9.+-]+)_([^_]+)_([a-z0-9]+)\.deb$/.exec(file) ?? [];
  if (of !== name || (arch !== architecture && arch !== 'all')) return false;
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
