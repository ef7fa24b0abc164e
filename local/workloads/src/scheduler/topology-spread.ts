import { labelSelectorOf, type Selector } from '@tektite/meta';
import type { Pod, TopologySpreadConstraint } from '@tektite/schema/kubernetes';
import type { ClusterState, NodeEntry } from './cluster-state.ts';
import { matchesNodeRules } from './node-affinity.ts';
import { untolerated } from './tolerations.ts';

export type SpreadReason = 'spread' | 'missing label';

export interface SpreadRules {
  readonly reasonAgainst: (entry: NodeEntry) => SpreadReason | undefined;
  /** How many Pods of the kind there are near the node, over all constraints that only ask. */
  readonly crowding: (entry: NodeEntry) => number;
}

interface Spread {
  readonly constraint: TopologySpreadConstraint;
  readonly counts: ReadonlyMap<string, number>;
  readonly fewest: number;
  /** Whether the Pod itself counts, once it is there. */
  readonly selfMatch: number;
}

/** Counts the Pods of the namespace once for each constraint. */
export function spreadRules(pod: Pod, state: ClusterState): SpreadRules {
  const constraints = pod.spec?.topologySpreadConstraints ?? [];
  if (constraints.length === 0) return { reasonAgainst: () => undefined, crowding: () => 0 };
  const nodes = state.nodes();
  const spreads = constraints.map((constraint) => measure(constraint, pod, nodes, state));
  return {
    reasonAgainst(entry) {
      for (const { constraint, counts, fewest, selfMatch } of spreads) {
        if (constraint.whenUnsatisfiable !== 'DoNotSchedule') continue;
        const domain = entry.node?.metadata.labels?.[constraint.topologyKey];
        if (domain === undefined) return 'missing label';
        if ((counts.get(domain) ?? 0) + selfMatch - fewest > constraint.maxSkew) return 'spread';
      }
      return undefined;
    },
    crowding(entry) {
      let sum = 0;
      for (const { constraint, counts } of spreads)
        if (constraint.whenUnsatisfiable !== 'DoNotSchedule')
          sum += counts.get(entry.node?.metadata.labels?.[constraint.topologyKey] ?? '') ?? 0;
      return sum;
    },
  };
}

function measure(
  constraint: TopologySpreadConstraint,
  pod: Pod,
  nodes: readonly NodeEntry[],
  state: ClusterState,
): Spread {
  const selector = selectorOf(constraint, pod);
  const counts = new Map<string, number>();
  const eligible = new Map<string, string>();
  for (const entry of nodes) {
    const domain = entry.node?.metadata.labels?.[constraint.topologyKey];
    if (domain === undefined || !isEligible(constraint, pod, entry)) continue;
    eligible.set(entry.name, domain);
    if (!counts.has(domain)) counts.set(domain, 0);
  }
  for (const { pod: other, node } of state.podsIn(pod.metadata.namespace ?? '')) {
    const domain = eligible.get(node);
    if (domain === undefined || other.metadata.deletionTimestamp !== undefined) continue;
    if (selector.matches(other.metadata.labels)) counts.set(domain, (counts.get(domain) ?? 0) + 1);
  }
  const enough = counts.size >= (constraint.minDomains ?? 1);
  const fewest = enough ? Math.min(...counts.values()) : 0;
  return { constraint, counts, fewest, selfMatch: selector.matches(pod.metadata.labels) ? 1 : 0 };
}

/** `matchLabelKeys` narrows the selector to Pods that have the same value, such as the same revision. */
function selectorOf({ labelSelector, matchLabelKeys = [] }: TopologySpreadConstraint, pod: Pod): Selector {
  const matchLabels: Record<string, string> = { ...labelSelector?.matchLabels };
  for (const key of matchLabelKeys) {
    const value = pod.metadata.labels?.[key];
    if (value !== undefined) matchLabels[key] = value;
  }
  return labelSelectorOf(labelSelector ? { ...labelSelector, matchLabels } : undefined);
}

function isEligible(constraint: TopologySpreadConstraint, { spec }: Pod, { node }: NodeEntry): boolean {
  if (!spec || !node) return false;
  if (constraint.nodeAffinityPolicy !== 'Ignore' && !matchesNodeRules(spec, node)) return false;
  return constraint.nodeTaintsPolicy !== 'Honor' || !untolerated(spec.tolerations, node.spec?.taints);
}
