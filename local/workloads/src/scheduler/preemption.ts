import type { Pod } from '@tektite/schema/kubernetes';
import { createdAt } from '../pods/pod-state.ts';
import type { NodeEntry, PlacedPod } from './cluster-state.ts';
import { type Candidate, rejection } from './filters.ts';

/** Whom to drive out, so that a Pod of higher priority has room. */
export interface Preemption {
  readonly node: string;
  readonly victims: readonly Pod[];
}

export function priorityOf({ spec }: Pod): number {
  return spec?.priority ?? 0;
}

/** Whether a victim of this Pod is still terminating. Then the Pod waits, and no further victim is chosen. */
export function isAwaitingVictims(pod: Pod, entryOf: (node: string) => NodeEntry | undefined): boolean {
  const nominated = pod.status?.nominatedNodeName;
  const pods = nominated ? (entryOf(nominated)?.pods.values() ?? []) : [];
  for (const { pod: other } of pods)
    if (other.metadata.deletionTimestamp !== undefined && priorityOf(other) < priorityOf(pod)) return true;
  return false;
}

/**
 * Chooses the node with the least disruption: the lowest priorities, then the fewest Pods. Preemption only frees
 * resources; rules between Pods are not evaluated again.
 */
export function findVictims(candidate: Candidate, entries: readonly NodeEntry[]): Preemption | undefined {
  let best: { readonly preemption: Preemption; readonly rank: readonly number[] } | undefined;
  for (const entry of entries) {
    const victims = victimsOn(candidate, entry);
    if (!victims) continue;
    const priorities = victims.map(({ pod }) => priorityOf(pod));
    const rank = [Math.max(...priorities), priorities.reduce((sum, each) => sum + each, 0), victims.length];
    const preemption = { node: entry.name, victims: victims.map(({ pod }) => pod) };
    if (!best || isLess(rank, best.rank)) best = { preemption, rank };
  }
  return best?.preemption;
}

/** First all that are worth less go; then each that fits beside the Pod comes back, the most worthy first. */
function victimsOn(candidate: Candidate, entry: NodeEntry): readonly PlacedPod[] | undefined {
  const priority = priorityOf(candidate.pod);
  const lower = [...entry.pods.values()].filter(({ pod }) => priorityOf(pod) < priority);
  if (lower.length === 0) return undefined;
  const removed = new Set(lower);
  if (rejection(candidate, without(entry, removed))) return undefined;
  const byWorth = lower.toSorted(
    (a, b) => priorityOf(b.pod) - priorityOf(a.pod) || createdAt(a.pod) - createdAt(b.pod),
  );
  for (const placed of byWorth) {
    removed.delete(placed);
    if (rejection(candidate, without(entry, removed))) removed.add(placed);
  }
  return removed.size > 0 ? [...removed] : undefined;
}

function without(entry: NodeEntry, removed: ReadonlySet<PlacedPod>): NodeEntry {
  const requested = new Map(entry.requested);
  const pods = new Map(entry.pods);
  for (const { key, requests } of removed) {
    pods.delete(key);
    for (const [name, amount] of requests) requested.set(name, (requested.get(name) ?? 0) - amount);
  }
  return { ...entry, requested, pods };
}

function isLess(a: readonly number[], b: readonly number[]): boolean {
  for (const [index, value] of a.entries()) {
    const other = b[index] ?? 0;
    if (value !== other) return value < other;
  }
  return false;
}
