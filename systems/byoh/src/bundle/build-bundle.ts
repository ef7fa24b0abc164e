import { copyFile, mkdir, mkdtemp, open, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { defineErrors } from '@tektite/meta';
import { buildLayer, type LayerFile, unpackLayer } from '@tektite/oci';
import { resolveBundle, standardRows } from '../installer/installer-registry.ts';
import type { PackageSystem } from '../installer/scripts/package-system.ts';
import { type BundleTarget, chooseFiles, type ChosenFiles } from './choose-files.ts';
import { containerdFiles, kernelFiles } from './host-files.ts';

export interface BundleRequest extends BundleTarget {
  /** The release of the hosts as their os-release names it: `Debian GNU/Linux 12 (bookworm)`. */
  readonly osImage: string;
  /** The folder with packages and archives. */
  readonly from: string;
  /** The folder to which the bundle is added: as `dir:FOLDER` it is the `bundleRepo` of a template. */
  readonly to: string;
}

export const bundleErrors = defineErrors('byoh', 'BundleError', {
  BUNDLE_INCOMPLETE: {
    when: 'files of a bundle for hosts are missing, ambiguous, or are not what their names say',
    fix: 'put the packages and archives that the message names into the folder, and nothing else of their kind',
  },
});

/** A bundle that cannot be built. Each problem is a sentence. */
export class BundleError extends bundleErrors.Error {
  readonly problems: readonly string[];

  constructor(problems: readonly string[]) {
    super('BUNDLE_INCOMPLETE', problems.join('; '));
    this.problems = problems;
  }
}

/** Whether `error` is a BundleError. */
export function isBundleError(error: unknown): error is BundleError {
  return bundleErrors.is(error);
}

const maxArchiveBytes = 1024 * 1024 * 1024;

/**
 * Builds the bundle of one release, architecture and version of Kubernetes, from files that the user has, and returns its folder. The same
 * files give the same bundle. It is there as a whole or not at all; an older one of the same name is replaced.
 */
export async function buildBundle(request: BundleRequest): Promise<string> {
  const { from, to, osImage, architecture, k8sVersion } = request;
  const resolved = resolveBundle(standardRows, { osimage: osImage, architecture }, k8sVersion);
  if (!resolved.ok) throw new BundleError([resolved.failureMessage]);
  const chosen = chooseFiles(await readdir(from), request, resolved.packages);
  if ('problems' in chosen) throw new BundleError(chosen.problems.map((problem) => `${problem} in ${from}`));
  const folder = join(to, ...resolved.bundle.split(':'));
  await mkdir(dirname(folder), { recursive: true });
  const part = await mkdtemp(`${folder}.part-`);
  try {
    await copyPackages(chosen, from, part, resolved.packages);
    await writeFile(join(part, 'conf.tar'), await archiveOf(kernelFiles));
    await writeContainerd(chosen, from, part);
    await rm(folder, { recursive: true, force: true });
    await rename(part, folder);
  } finally {
    await rm(part, { recursive: true, force: true });
  }
  return folder;
}

async function copyPackages(
  { packages }: ChosenFiles,
  from: string,
  part: string,
  system: PackageSystem,
): Promise<void> {
  const bad: string[] = [];
  for (const [name, file] of packages) {
    if (await isPackageFile(join(from, file), system)) await copyFile(join(from, file), join(part, name));
    else bad.push(`${file} is no package of ${systemNames[system]}`);
  }
  if (bad.length > 0) throw new BundleError(bad);
}

const systemNames: Readonly<Record<PackageSystem, string>> = { deb: 'Debian', rpm: 'rpm' };

/** How packages begin: those of Debian are archives of ar. A failed download is often a page of HTML. */
const firstBytes: Readonly<Record<PackageSystem, string>> = { deb: '!<arch>\n', rpm: '\u00ed\u00ab\u00ee\u00db' };

async function isPackageFile(path: string, system: PackageSystem): Promise<boolean> {
  const expected = firstBytes[system];
  await using handle = await open(path);
  const { buffer, bytesRead } = await handle.read(Buffer.alloc(expected.length), 0, expected.length, 0);
  return bytesRead === expected.length && buffer.toString('latin1') === expected;
}

async function writeContainerd({ containerd }: ChosenFiles, from: string, part: string): Promise<void> {
  const target = join(part, 'containerd.tar');
  if ('archive' in containerd) return copyFile(join(from, containerd.archive), target);
  const unpacked = join(part, '.containerd');
  await mkdir(unpacked);
  const names = await unpackLayer(join(from, containerd.programs), unpacked, maxArchiveBytes, { skipLinks: true });
  if (!names.includes('bin/containerd'))
    throw new BundleError([`${containerd.programs} has no bin/containerd: it is no release of containerd`]);
  const programs: LayerFile[] = [];
  for (const name of names)
    programs.push({ path: `usr/local/${name}`, mode: 0o755, content: await readFile(join(unpacked, name)) });
  programs.push({ path: 'usr/local/sbin/runc', mode: 0o755, content: await readFile(join(from, containerd.runc)) });
  await writeFile(target, await archiveOf(containerdFiles, programs));
  await rm(unpacked, { recursive: true });
}

async function archiveOf(
  texts: Readonly<Record<string, string>>,
  more: readonly LayerFile[] = [],
): Promise<Uint8Array> {
  const files = Object.entries(texts).map(([path, text]) => ({ path, mode: 0o644, content: Buffer.from(text) }));
  return (await buildLayer([...files, ...more])).content;
}
