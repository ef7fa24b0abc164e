import type { Volume, VolumeMount } from '@tektite/schema/kubernetes';
import type { Sidecar, Step, TaskSpec } from '../kinds/task-spec.ts';
import type { WorkspaceBinding, WorkspaceDeclaration, WorkspaceUsage } from '../kinds/workspace.ts';

/** The default path of a workspace in the containers. */
export function mountPathOf({ name, mountPath }: WorkspaceDeclaration): string {
  return mountPath || `/workspace/${name}`;
}

/**
 * A Task with the volumes of its workspaces, in the order in which they are bound. A workspace that a step or sidecar
 * names itself is isolated: only those that name it see it. Others are in all steps, and in all sidecars that mount
 * nothing else at that path.
 */
export function applyWorkspaces(
  spec: TaskSpec,
  bindings: readonly WorkspaceBinding[],
  volumes: ReadonlyMap<string, Volume>,
): TaskSpec {
  let result = spec;
  const added = new Map<string, Volume>();
  for (const { name, subPath } of bindings) {
    const declaration = spec.workspaces?.find((each) => each.name === name) ?? { name };
    const volume = volumes.get(name);
    if (!volume) continue;
    const mount: VolumeMount = {
      name: volume.name,
      mountPath: mountPathOf(declaration),
      ...(subPath ? { subPath } : {}),
      ...(declaration.readOnly ? { readOnly: true } : {}),
    };
    result = isIsolated(spec, name) ? mountWhereUsed(result, name, mount) : mountAll(result, mount);
    added.set(volume.name, volume);
  }
  return added.size > 0 ? { ...result, volumes: [...(spec.volumes ?? []), ...added.values()] } : result;
}

function isIsolated({ steps = [], sidecars = [] }: TaskSpec, workspace: string): boolean {
  return [...steps, ...sidecars].some(({ workspaces = [] }) => workspaces.some(({ name }) => name === workspace));
}

function mountWhereUsed(spec: TaskSpec, workspace: string, mount: VolumeMount): TaskSpec {
  const mountIn = <T extends Step | Sidecar>(container: T): T => {
    const usage = container.workspaces?.find(({ name }) => name === workspace);
    return usage ? withMount(container, at(mount, usage)) : container;
  };
  return {
    ...spec,
    ...(spec.steps ? { steps: spec.steps.map(mountIn) } : {}),
    ...(spec.sidecars ? { sidecars: spec.sidecars.map(mountIn) } : {}),
  };
}

function at(mount: VolumeMount, { mountPath }: WorkspaceUsage): VolumeMount {
  return mountPath ? { ...mount, mountPath } : mount;
}

function mountAll(spec: TaskSpec, mount: VolumeMount): TaskSpec {
  const isFree = ({ volumeMounts = [] }: Sidecar) =>
    volumeMounts.every(({ mountPath }) => mountPath !== mount.mountPath);
  return {
    ...spec,
    stepTemplate: withMount(spec.stepTemplate ?? {}, mount),
    ...(spec.sidecars ? { sidecars: spec.sidecars.map((each) => (isFree(each) ? withMount(each, mount) : each)) } : {}),
  };
}

function withMount<T extends { readonly volumeMounts?: readonly VolumeMount[] }>(container: T, mount: VolumeMount): T {
  return { ...container, volumeMounts: [...(container.volumeMounts ?? []), mount] };
}
