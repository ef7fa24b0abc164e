import type { PersistentVolumeClaim, Pod } from '@tektite/schema/kubernetes';
import { checkClaims, type VolumeLookup } from './claim-check.ts';
import type { ClusterState, NodeEntry } from './cluster-state.ts';
import { candidate, type Rejection, rejection } from './filters.ts';
import { type NamespaceLabels, podAffinityRules } from './pod-affinity.ts';
import { bestNode } from './scores.ts';
import { spreadRules } from './topology-spread.ts';

export type Placement =
  /** `claims` have to get their volumes on that node first. */
  | { readonly type: 'node'; readonly node: string; readonly claims: readonly PersistentVolumeClaim[] }
  | { readonly type: 'unschedulable'; readonly message: string };

/** Where a Pod goes, or why it cannot go anywhere, in upstream's words. */
export function placePod(
  pod: Pod,
  state: ClusterState,
  lookup: VolumeLookup,
  namespaceLabels: NamespaceLabels,
): Placement {
  const nodes = state.nodes();
  if (nodes.length === 0) return { type: 'unschedulable', message: 'no nodes available to schedule pods' };
  const claims = checkClaims(pod, lookup);
  if (claims.message !== undefined)
    return { type: 'unschedulable', message: unfitMessage(pod, nodes.length, [], claims.message) };
  const wanted = candidate(pod, podAffinityRules(pod, state, namespaceLabels), spreadRules(pod, state), claims.volumes);
  const fitting: NodeEntry[] = [];
  const rejections: Rejection[] = [];
  for (const entry of nodes) {
    const against = rejection(wanted, entry);
    if (against) rejections.push(against);
    else fitting.push(entry);
  }
  const best = bestNode(wanted, fitting);
  if (best) return { type: 'node', node: best.name, claims: claims.waiting };
  return { type: 'unschedulable', message: unfitMessage(pod, nodes.length, rejections) };
}

function unfitMessage(pod: Pod, nodes: number, rejections: readonly Rejection[], message?: string): string {
  const available = `0/${nodes} nodes are available:`;
  const why = message ?? histogram(rejections.flatMap(({ reasons }) => reasons));
  return `${available} ${why}. preemption: ${preemptionMessage(pod, nodes, rejections)}`;
}

/** Nobody is ever driven out here; what is said about it is what upstream says when it finds nobody to drive out. */
function preemptionMessage({ spec }: Pod, nodes: number, rejections: readonly Rejection[]): string {
  if (spec?.preemptionPolicy === 'Never') return 'not eligible due to preemptionPolicy=Never.';
  const resolvable = rejections.filter((each) => each.resolvable).length;
  const reasons = [
    ...Array.from({ length: resolvable }, () => 'No preemption victims found for incoming pod'),
    ...Array.from({ length: nodes - resolvable }, () => 'Preemption is not helpful for scheduling'),
  ];
  return `0/${nodes} nodes are available: ${histogram(reasons)}.`;
}

function histogram(reasons: readonly string[]): string {
  const counts = new Map<string, number>();
  for (const reason of reasons) counts.set(reason, (counts.get(reason) ?? 0) + 1);
  return [...counts]
    .map(([reason, count]) => `${count} ${reason}`)
    .sort()
    .join(', ');
}
