import type { Volume } from '@tektite/schema/kubernetes';
import type { WorkspaceBinding } from '../kinds/workspace.ts';
import { hashedNames } from '../pod/hashed-name.ts';

/** The volume of each binding, by the workspace's name. Bindings of the same claim share one: a Pod mounts a claim once. */
export function workspaceVolumes(bindings: readonly WorkspaceBinding[]): ReadonlyMap<string, Volume> {
  const names = hashedNames(
    'ws',
    bindings.map(({ name }) => name),
    5,
  );
  const claims = new Map<string, Volume>();
  const volumes = new Map<string, Volume>();
  for (const binding of bindings) {
    const claim = binding.persistentVolumeClaim?.claimName;
    const volume = (claim !== undefined && claims.get(claim)) || volumeOf(names.get(binding.name) ?? '', binding);
    if (!volume) continue;
    if (claim !== undefined) claims.set(claim, volume);
    volumes.set(binding.name, volume);
  }
  return volumes;
}

function volumeOf(name: string, binding: WorkspaceBinding): Volume | undefined {
  const { persistentVolumeClaim, emptyDir, configMap, secret, projected, csi } = binding;
  if (persistentVolumeClaim) return { name, persistentVolumeClaim };
  if (emptyDir) return { name, emptyDir };
  if (configMap) return { name, configMap };
  if (secret) return { name, secret };
  if (projected) return { name, projected };
  if (csi) return { name, csi };
  return undefined;
}
