import { closeSync, mkdirSync } from 'node:fs';
import { posix } from 'node:path';
import type { Container, VolumeMount } from '@tektite/schema/kubernetes';
import { expand } from '../env/expand.ts';
import { ContainerStartError } from '../runtime/container-start-error.ts';
import type { ContainerMount } from '../runtime/pod-runtime.ts';
import { resolveWritten } from '../volumes/atomic-writer.ts';
import { openBeneath, openPath, pathOfDescriptor, relativeParts } from '../volumes/beneath.ts';
import type { PreparedVolume } from '../volumes/pod-volumes.ts';

/** The mounts of a container, and what has to be closed when it has started. */
export interface ContainerMounts extends Disposable {
  readonly mounts: readonly ContainerMount[];
}

/**
 * Finds what is to be mounted where. Paths inside of volumes are opened part by part, so that nothing a container put there
 * leads elsewhere. Throws a `CreateContainerConfigError`.
 */
export function containerMounts(
  container: Container,
  volumes: ReadonlyMap<string, PreparedVolume>,
  env: ReadonlyMap<string, string>,
  files: boolean,
): ContainerMounts {
  const mounts: ContainerMount[] = [];
  const close = () => {
    for (const { descriptor } of mounts) if (descriptor !== undefined) closeSync(descriptor);
  };
  try {
    for (const mount of container.volumeMounts ?? []) mounts.push(oneMount(mount, volumes, env, files));
  } catch (error) {
    close();
    throw error;
  }
  // One below another has to come after it.
  mounts.sort((a, b) => depth(a.containerPath) - depth(b.containerPath));
  return { mounts, [Symbol.dispose]: close };
}

function depth(path: string): number {
  return path.split('/').filter(Boolean).length;
}

function oneMount(
  mount: VolumeMount,
  volumes: ReadonlyMap<string, PreparedVolume>,
  env: ReadonlyMap<string, string>,
  files: boolean,
): ContainerMount {
  const volume = volumes.get(mount.name);
  if (!volume)
    throw configError(
      `mount cannot be satisfied because the volume is missing, or the volume mounter (vol.Mounter) is nil: ${mount.name}`,
    );
  const subPath = subPathOf(mount, env);
  const containerPath = posix.resolve('/', mount.mountPath);
  const readOnly = (mount.readOnly ?? false) || volume.readOnly;
  const problem = pathProblem(subPath);
  if (problem) throw configError(problem);
  if (volume.image && subPath !== '')
    throw configError(`subPath of the image volume ${JSON.stringify(mount.name)} is not supported by this node`);
  if (volume.image) return { hostPath: volume.path, image: volume.image, containerPath, readOnly };
  if (!files || (subPath === '' && !volume.protect)) return { hostPath: volume.path, containerPath, readOnly };
  try {
    if (volume.written) return { hostPath: writtenPath(volume.path, subPath), containerPath, readOnly };
    return { ...openVolume(volume, subPath), containerPath, readOnly };
  } catch (error) {
    if (subPath === '') throw configError((error as Error).message, error);
    throw configError(
      `failed to prepare subPath for volumeMount ${JSON.stringify(mount.name)} of container: ${(error as Error).message}`,
      error,
    );
  }
}

/** Opens a path before it is checked: another container may exchange a part of it for a link at any time. */
function openVolume(
  { path, protect }: PreparedVolume,
  subPath: string,
): Pick<ContainerMount, 'hostPath' | 'descriptor' | 'covered'> {
  const descriptor = subPath === '' ? openPath(path) : openBeneath(path, subPath, { create: 'folder', mode: 0o750 });
  try {
    const hostPath = pathOfDescriptor(descriptor);
    const covered = protect?.(hostPath) ?? [];
    return { hostPath, descriptor, ...(covered.length > 0 ? { covered } : {}) };
  } catch (error) {
    closeSync(descriptor);
    throw error;
  }
}

function subPathOf({ subPath, subPathExpr }: VolumeMount, env: ReadonlyMap<string, string>): string {
  if (!subPathExpr) return subPath ?? '';
  const missing: string[] = [];
  for (const [, name = ''] of subPathExpr.matchAll(/(?<!\$)\$\(([^)]*)\)/g)) if (!env.has(name)) missing.push(name);
  if (missing.length > 0)
    throw configError(`missing value for ${missing.map((name) => JSON.stringify(name)).join(', ')}`);
  return expand(subPathExpr, env);
}

function pathProblem(subPath: string): string | undefined {
  if (subPath.startsWith('/')) return `error SubPath \`${subPath}\` must not be an absolute path`;
  if (subPath.split('/').includes('..')) return `unable to provision SubPath \`${subPath}\`: must not contain '..'`;
  return undefined;
}

/** A name in a volume that we write, or an empty folder if there is none, as a kubelet would make. */
function writtenPath(volume: string, subPath: string): string {
  const found = resolveWritten(volume, subPath);
  if (found) return found;
  const path = posix.join(volume, ...relativeParts(subPath));
  mkdirSync(path, { recursive: true, mode: 0o750 });
  return path;
}

function configError(message: string, cause?: unknown): ContainerStartError {
  return new ContainerStartError('CreateContainerConfigError', message, { cause });
}
