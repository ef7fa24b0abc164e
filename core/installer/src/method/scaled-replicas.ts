import { type DynamicObject, findCondition } from '@tektite/meta';

interface Autoscaler {
  readonly spec?: { readonly minReplicas?: number; readonly maxReplicas?: number };
  readonly status?: {
    readonly desiredReplicas?: number;
    readonly conditions?: readonly { readonly type: string; readonly status: string }[];
  };
}

/**
 * How many replicas a workload should have: as written (one if nothing is), or as its autoscaler says. An autoscaler that does not
 * scale, because it is off or has no metrics, leaves what is written, within its bounds.
 */
export function scaledReplicas(written: number | undefined, autoscaler: DynamicObject | undefined): number {
  const wanted = written ?? 1;
  if (!autoscaler) return wanted;
  const { spec = {}, status = {} } = autoscaler as Autoscaler;
  const least = spec.minReplicas || 1;
  const active = findCondition(status.conditions, 'ScalingActive');
  if (active && active.status !== 'False') return Math.max(status.desiredReplicas ?? 0, least);
  return Math.min(Math.max(wanted, least), Math.max(least, spec.maxReplicas ?? wanted));
}
