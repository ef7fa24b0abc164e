import type { Pod } from '@tektite/schema/kubernetes';
import { createdAt, isReady, readySince, restartsOf } from './pod-state.ts';

const costAnnotation = 'controller.kubernetes.io/pod-deletion-cost';
const phaseRank = new Map([
  ['Pending', 0],
  ['Unknown', 1],
  ['Running', 2],
]);

function costOf({ metadata }: Pod): number {
  const cost = Number(metadata.annotations?.[costAnnotation] ?? '0');
  return Number.isInteger(cost) ? cost : 0;
}

/** On a scale where every second doubles nothing: differences of age count by orders of magnitude. */
function ageRank(milliseconds: number): number {
  return milliseconds <= 0 ? -1 : Math.floor(Math.log2(milliseconds / 1e-6));
}

/**
 * The order in which Pods are given up when there are too many: those without a node, pending, not ready, cheap by their own
 * word, crowded on their node, ready for a shorter time, restarted more often, newer.
 */
export function byDispensability(pods: readonly Pod[], now: number): readonly Pod[] {
  const crowd = new Map<string, number>();
  for (const { spec } of pods) if (spec?.nodeName) crowd.set(spec.nodeName, (crowd.get(spec.nodeName) ?? 0) + 1);
  const rank = (pod: Pod): readonly number[] => {
    const ready = isReady(pod);
    return [
      pod.spec?.nodeName ? 1 : 0,
      phaseRank.get(pod.status?.phase ?? 'Pending') ?? 1,
      ready ? 1 : 0,
      costOf(pod),
      -(crowd.get(pod.spec?.nodeName ?? '') ?? 0),
      ready ? ageRank(now - (readySince(pod) ?? now)) : 0,
      -restartsOf(pod),
      ageRank(now - createdAt(pod)),
    ];
  };
  return pods
    .map((pod) => ({ pod, rank: rank(pod) }))
    .sort((a, b) => compare(a.rank, b.rank))
    .map(({ pod }) => pod);
}

function compare(a: readonly number[], b: readonly number[]): number {
  for (const [index, value] of a.entries()) {
    const other = b[index] ?? 0;
    if (value !== other) return value - other;
  }
  return 0;
}
