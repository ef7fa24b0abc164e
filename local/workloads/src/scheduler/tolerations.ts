import type { PodSpec, Taint, Toleration } from '@tektite/schema/kubernetes';

export function tolerates({ key, operator, value, effect }: Toleration, taint: Taint): boolean {
  if (effect && effect !== taint.effect) return false;
  if (key && key !== taint.key) return false;
  if (operator === 'Exists') return true;
  return (
    Boolean(key) &&
    (operator === undefined || operator === 'Equal' || operator === '') &&
    (value ?? '') === (taint.value ?? '')
  );
}

/** The first taint that keeps the Pod away. */
export function untolerated(
  tolerations: PodSpec['tolerations'],
  taints: readonly Taint[] | undefined,
  effects: readonly string[] = ['NoSchedule', 'NoExecute'],
): Taint | undefined {
  return taints?.find(
    (taint) => effects.includes(taint.effect) && !tolerations?.some((toleration) => tolerates(toleration, taint)),
  );
}

/** How many taints ask the Pod, without force, to stay away. */
export function unwelcome(tolerations: PodSpec['tolerations'], taints: readonly Taint[] | undefined): number {
  return (taints ?? []).filter(
    (taint) => taint.effect === 'PreferNoSchedule' && !tolerations?.some((toleration) => tolerates(toleration, taint)),
  ).length;
}
