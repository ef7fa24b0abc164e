import type { ReplicaSet } from '@tektite/schema/kubernetes';
import { desiredAnnotation, isSized, maxAnnotation } from './revision.ts';
import { allOf, availableOf, isRolling, type Rollout, sum, tolerance, wantedOf } from './rollout.ts';

/** How many Pods a ReplicaSet is to have. */
export interface Resize {
  readonly replicaSet: ReplicaSet;
  readonly replicas: number;
}

const changes = (resizes: readonly Resize[]): readonly Resize[] =>
  resizes.filter(({ replicaSet, replicas }) => wantedOf(replicaSet) !== replicas);

/** Whether the number of wanted Pods was changed since the ReplicaSets were sized. */
export function isScalingEvent(rollout: Rollout): boolean {
  return allOf(rollout).some((replicaSet) => {
    const desired = replicaSet.metadata.annotations?.[desiredAnnotation];
    return wantedOf(replicaSet) > 0 && desired !== undefined && Number(desired) !== wantedOf(rollout.deployment);
  });
}

/** The current one up to what is wanted, as far as there may be more Pods at a time. */
export function growCurrent(rollout: Rollout): readonly Resize[] {
  const { deployment, current } = rollout;
  if (!current) return [];
  const wanted = wantedOf(deployment);
  const has = wantedOf(current);
  if (has >= wanted || !isRolling(deployment)) return changes([{ replicaSet: current, replicas: wanted }]);
  const free = wanted + tolerance(deployment).surge - sum(allOf(rollout), wantedOf);
  return changes([{ replicaSet: current, replicas: has + Math.max(0, Math.min(free, wanted - has)) }]);
}

/** Old ones down: first what does not work anyway, then as many as are not needed to keep enough available. */
export function shrinkOld(rollout: Rollout): readonly Resize[] {
  const { deployment, current, old } = rollout;
  if (sum(old, wantedOf) === 0) return [];
  const least = wantedOf(deployment) - tolerance(deployment).unavailable;
  const missing = current ? wantedOf(current) - availableOf(current) : 0;
  const max = sum(allOf(rollout), wantedOf) - least - missing;
  if (max <= 0) return [];
  const sizes = new Map(old.map((replicaSet) => [replicaSet, wantedOf(replicaSet)]));
  let cleaned = 0;
  for (const [replicaSet, size] of sizes) {
    const broken = Math.min(max - cleaned, size - availableOf(replicaSet));
    if (broken <= 0) continue;
    sizes.set(replicaSet, size - broken);
    cleaned += broken;
  }
  let spare = sum(allOf(rollout), availableOf) - least;
  for (const [replicaSet, size] of sizes) {
    const given = Math.min(size, spare);
    if (given <= 0) continue;
    sizes.set(replicaSet, size - given);
    spare -= given;
  }
  return changes([...sizes].map(([replicaSet, replicas]) => ({ replicaSet, replicas })));
}

export function emptyOld({ old }: Rollout): readonly Resize[] {
  return changes(old.map((replicaSet) => ({ replicaSet, replicas: 0 })));
}

/**
 * Scales proportionally after the Deployment was scaled: a single active ReplicaSet takes all replicas; several share
 * them by size, so that a rollout in progress keeps its proportions.
 */
export function rescale(rollout: Rollout): readonly Resize[] {
  const { deployment, current, old } = rollout;
  const wanted = wantedOf(deployment);
  const active = allOf(rollout).filter((replicaSet) => wantedOf(replicaSet) > 0);
  const only = active.length <= 1 ? (active[0] ?? current ?? old.at(-1)) : undefined;
  if (only) return changes([{ replicaSet: only, replicas: wanted }]);
  if (current && isSaturated(current, wanted)) return emptyOld(rollout);
  if (!isRolling(deployment)) return [];
  return proportionally(rollout, active, wanted);
}

function isSaturated(current: ReplicaSet, wanted: number): boolean {
  const desired = Number(current.metadata.annotations?.[desiredAnnotation] ?? Number.NaN);
  return wantedOf(current) === wanted && desired === wanted && availableOf(current) === wanted;
}

function proportionally({ deployment }: Rollout, active: readonly ReplicaSet[], wanted: number): readonly Resize[] {
  const allowed = wanted > 0 ? wanted + tolerance(deployment).surge : 0;
  let left = allowed - sum(active, wantedOf);
  // The remainder of the rounding goes to the largest; among equals to the newest when growing, the oldest when
  // shrinking.
  const newest = active.toReversed();
  const sorted = (left > 0 ? newest : active).toSorted((a, b) => wantedOf(b) - wantedOf(a));
  const sizes = new Map<ReplicaSet, number>();
  for (const replicaSet of sorted) {
    const size = wantedOf(replicaSet);
    const change = left === 0 ? 0 : bounded(share(replicaSet, allowed, deployment.status?.replicas ?? 0), left);
    sizes.set(replicaSet, size + change);
    left -= change;
  }
  const [largest] = sorted;
  if (largest && left !== 0) sizes.set(largest, Math.max(0, (sizes.get(largest) ?? 0) + left));
  // One that keeps its size is written, too: otherwise the next reconcile takes it for scaled again, and undoes the rollout's progress.
  return [...sizes]
    .map(([replicaSet, replicas]) => ({ replicaSet, replicas }))
    .filter(({ replicaSet, replicas }) => wantedOf(replicaSet) !== replicas || !isSized(replicaSet, deployment));
}

/** How much one would change if all changed alike. */
function share(replicaSet: ReplicaSet, allowed: number, fallback: number): number {
  const size = wantedOf(replicaSet);
  if (allowed === 0) return -size;
  const before = Number(replicaSet.metadata.annotations?.[maxAnnotation] ?? fallback) || fallback || size;
  return Math.round((size * allowed) / before) - size;
}

function bounded(change: number, left: number): number {
  return left > 0 ? Math.max(0, Math.min(change, left)) : Math.min(0, Math.max(change, left));
}
