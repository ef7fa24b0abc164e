import type { PersistentVolumeClaim, Pod } from '@tektite/schema/kubernetes';
import { checkClaims, type VolumeLookup } from './claim-check.ts';
import type { ClusterState, NodeEntry } from './cluster-state.ts';
import { type Candidate, candidate, type Rejection, rejection } from './filters.ts';
import { type NamespaceLabels, podAffinityRules } from './pod-affinity.ts';
import { findVictims, isAwaitingVictims, type Preemption } from './preemption.ts';
import { bestNode } from './scores.ts';
import { spreadRules } from './topology-spread.ts';

export type Placement =
  /** `claims` have to get their volumes on that node first. */
  | { readonly type: 'node'; readonly node: string; readonly claims: readonly PersistentVolumeClaim[] }
  /** `preemption` says who has to go first, if that helps; `missing` and `unbound`, for which claim it waits. */
  | {
      readonly type: 'unschedulable';
      readonly message: string;
      readonly preemption?: Preemption;
      readonly missing?: string;
      readonly unbound?: PersistentVolumeClaim;
    };

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
    return {
      type: 'unschedulable',
      message: claimMessage(pod, nodes.length, claims.message),
      ...(claims.missing === undefined ? {} : { missing: claims.missing }),
      ...(claims.unbound === undefined ? {} : { unbound: claims.unbound }),
    };
  const wanted = candidate(pod, podAffinityRules(pod, state, namespaceLabels), spreadRules(pod, state), claims.volumes);
  const fitting: NodeEntry[] = [];
  const rejections = new Map<NodeEntry, Rejection>();
  for (const entry of nodes) {
    const against = rejection(wanted, entry);
    if (against) rejections.set(entry, against);
    else fitting.push(entry);
  }
  const best = bestNode(wanted, fitting);
  if (best) return { type: 'node', node: best.name, claims: claims.waiting };
  return unfit(pod, wanted, rejections, nodes.length, state);
}

function unfit(
  pod: Pod,
  wanted: Candidate,
  rejections: ReadonlyMap<NodeEntry, Rejection>,
  nodes: number,
  state: ClusterState,
): Placement {
  const against = [...rejections.values()];
  const message = unfitMessage(pod, nodes, against);
  if (pod.spec?.preemptionPolicy === 'Never') return { type: 'unschedulable', message };
  const reasons = `0/${nodes} nodes are available: ${histogram(against.flatMap((each) => each.reasons))}.`;
  if (isAwaitingVictims(pod, (node) => state.entry(node))) {
    const waiting = 'preemption: not eligible due to a terminating pod on the nominated node.';
    return { type: 'unschedulable', message: `${reasons} ${waiting}` };
  }
  const resolvable = [...rejections].filter(([, each]) => each.resolvable).map(([entry]) => entry);
  const preemption = findVictims(wanted, resolvable);
  return preemption ? { type: 'unschedulable', message: reasons, preemption } : { type: 'unschedulable', message };
}

/**
 * Errors that no node can resolve are reported before nodes are filtered; upstream then finds no preemption victims.
 */
function claimMessage(pod: Pod, nodes: number, message: string): string {
  const never = pod.spec?.preemptionPolicy === 'Never';
  const preemption = never ? `preemption: ${preemptionMessage(pod, nodes, [])}` : 'not found';
  return `0/${nodes} nodes are available: ${message}. ${preemption}`;
}

function unfitMessage(pod: Pod, nodes: number, rejections: readonly Rejection[]): string {
  const available = `0/${nodes} nodes are available:`;
  const why = histogram(rejections.flatMap(({ reasons }) => reasons));
  return `${available} ${why}. preemption: ${preemptionMessage(pod, nodes, rejections)}`;
}

/** Upstream's message when it finds no preemption victims. */
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
