import type { KubeObject } from '@tektite/meta';

/** The fields that decide how much constraints allow. */
interface Constraints {
  readonly allowPrivilegedContainer?: boolean;
  readonly allowHostPorts?: boolean;
  readonly allowHostNetwork?: boolean;
  readonly volumes?: readonly string[] | null;
  readonly runAsUser?: { readonly type?: string };
  readonly seLinuxContext?: { readonly type?: string };
  readonly defaultAddCapabilities?: readonly string[] | null;
  readonly allowedCapabilities?: readonly string[] | null;
  readonly requiredDropCapabilities?: readonly string[] | null;
}

const harmlessVolumes = new Set(['secret', 'configMap', 'emptyDir', 'downwardAPI', 'projected', 'none']);
const identities = ['MustRunAs', 'MustRunAsRange', 'MustRunAsNonRoot', 'RunAsAny'];

/** Whether the first constraints allow no more than the second do, in the order that OpenShift puts them. */
export function allowsNoMore(first: KubeObject, second: KubeObject): boolean {
  const limits = looseness(second as Constraints);
  for (const [index, value] of looseness(first as Constraints).entries()) {
    const limit = limits[index] ?? 0;
    if (value !== limit) return value < limit;
  }
  return true;
}

/** The most significant first; a greater number allows more. */
function looseness(constraints: Constraints): readonly number[] {
  return [
    Number(constraints.allowPrivilegedContainer ?? false),
    Number(constraints.allowHostPorts ?? false),
    Number(constraints.allowHostNetwork ?? false),
    volumeRank(constraints.volumes ?? []),
    identityRank(constraints.runAsUser?.type) + identityRank(constraints.seLinuxContext?.type),
    capabilityRank(constraints),
  ];
}

function volumeRank(volumes: readonly string[]): number {
  if (volumes.some((name) => name === 'hostPath' || name === '*')) return 2;
  return volumes.every((name) => harmlessVolumes.has(name)) ? 0 : 1;
}

/** A way that is not known is taken for the one that allows most. */
function identityRank(type = ''): number {
  const rank = identities.indexOf(type);
  return rank === -1 ? identities.length : rank + 1;
}

/** OpenShift's own weights: one that is added is worth thirty that may be asked for, and six that are dropped. */
function capabilityRank(constraints: Constraints): number {
  const added = constraints.defaultAddCapabilities ?? [];
  const allowed = constraints.allowedCapabilities ?? [];
  const dropped = constraints.requiredDropCapabilities ?? [];
  const all = (names: readonly string[]) => names.some((name) => name.toUpperCase() === 'ALL');
  const allows = allowed.includes('*') || all(allowed) ? 4000 : 10 * allowed.length;
  const drops = all(dropped) ? 3000 : 50 * dropped.length;
  return Math.min(Math.max(5000 + 300 * added.length + allows - drops, 0), 9999);
}
