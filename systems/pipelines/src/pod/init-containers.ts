import type { Container, SecurityContext } from '@tektite/schema/kubernetes';
import type { FeatureFlags } from '../config/feature-flags.ts';
import type { Step } from '../kinds/task-spec.ts';
import { binMount, implicitMounts, paths, stepsMount } from './internal-volumes.ts';
import type { PodImages } from './pod-images.ts';

/** Puts the entrypoint where steps find it, and makes a folder for each. */
export function prepareContainer(images: PodImages, stepContainers: readonly string[]): Container {
  return {
    name: 'prepare',
    image: images.entrypoint,
    workingDir: '/',
    command: ['/ko-app/entrypoint', 'init', '/ko-app/entrypoint', paths.entrypoint, ...stepContainers],
    volumeMounts: [binMount, stepsMount],
  };
}

/** Creates the working directories that no other container creates: relative ones, and those below the workspace. */
export function workingDirContainer(images: PodImages, steps: readonly Step[]): Container | undefined {
  const wanted = new Set<string>();
  for (const { workingDir } of steps) {
    if (!workingDir) continue;
    const path = clean(workingDir);
    if (!path.startsWith('/') || path.startsWith(`${paths.workspace}/`)) wanted.add(path);
  }
  if (wanted.size === 0) return undefined;
  return {
    name: 'working-dir-initializer',
    image: images.workingDirInit,
    command: ['/ko-app/workingdirinit'],
    args: [...wanted].sort(),
    workingDir: paths.workspace,
    volumeMounts: implicitMounts.filter(({ mountPath }) => mountPath !== paths.bin),
  };
}

/** As Go's `filepath.Clean`. */
function clean(path: string): string {
  const absolute = path.startsWith('/');
  const parts: string[] = [];
  for (const part of path.split('/')) {
    if (part === '' || part === '.') continue;
    if (part === '..' && parts.length > 0 && parts.at(-1) !== '..') parts.pop();
    else if (part !== '..' || !absolute) parts.push(part);
  }
  return (absolute ? '/' : '') + parts.join('/') || '.';
}

/** The security context of Tekton's own containers, where the cluster enforces restricted Pods. */
export function ownSecurityContext(flags: FeatureFlags, isWindows: boolean): SecurityContext | undefined {
  if (!flags.setSecurityContext) return undefined;
  if (isWindows) return { runAsNonRoot: true };
  return {
    allowPrivilegeEscalation: false,
    capabilities: { drop: ['ALL'] },
    runAsNonRoot: true,
    seccompProfile: { type: 'RuntimeDefault' },
    ...(flags.setSecurityContextReadOnlyRootFilesystem ? { readOnlyRootFilesystem: true } : {}),
  };
}
