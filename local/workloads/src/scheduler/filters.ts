import { cacheKey } from '@tektite/controller/cache';
import type { PersistentVolume, Pod } from '@tektite/schema/kubernetes';
import { isReachable } from './claim-check.ts';
import type { NodeEntry, PlacedPod } from './cluster-state.ts';
import { matchesNodeRules } from './node-affinity.ts';
import type { PodAffinityReason, PodAffinityRules } from './pod-affinity.ts';
import { type Amounts, hostPorts, podRequests, portsConflict } from './resources.ts';
import type { SpreadReason, SpreadRules } from './topology-spread.ts';
import { tolerates, untolerated } from './tolerations.ts';

/** Why a node will not do. */
export interface Rejection {
  readonly reasons: readonly string[];
  /** Whether the node would do if other Pods were not there. */
  readonly resolvable: boolean;
}

/** A Pod to be placed, with everything that is the same for all nodes. */
export interface Candidate {
  readonly pod: Pod;
  readonly requests: Amounts;
  readonly ports: readonly string[];
  readonly affinity: PodAffinityRules;
  readonly spread: SpreadRules;
  readonly volumes: readonly PersistentVolume[];
}

export function candidate(
  pod: Pod,
  affinity: PodAffinityRules,
  spread: SpreadRules,
  volumes: readonly PersistentVolume[],
): Candidate {
  return { pod, requests: podRequests(pod.spec), ports: hostPorts(pod), affinity, spread, volumes };
}

const final = (reason: string): Rejection => ({ reasons: [reason], resolvable: false });
const crowded = (reason: string): Rejection => ({ reasons: [reason], resolvable: true });

const unschedulableTaint = { key: 'node.kubernetes.io/unschedulable', effect: 'NoSchedule' };

/** The first reason against a node, in the order in which upstream asks; undefined when it will do. */
export function rejection(candidate: Candidate, entry: NodeEntry): Rejection | undefined {
  const { pod, affinity, spread, volumes } = candidate;
  const { spec } = pod;
  const { node } = entry;
  if (!spec || !node) return final('node(s) were unschedulable');
  if (node.spec?.unschedulable && !spec.tolerations?.some((toleration) => tolerates(toleration, unschedulableTaint)))
    return final('node(s) were unschedulable');
  if (untolerated(spec.tolerations, node.spec?.taints)) return final('node(s) had untolerated taint(s)');
  if (!matchesNodeRules(spec, node)) return final("node(s) didn't match Pod's node affinity/selector");
  if (portsTaken(candidate, entry)) return crowded("node(s) didn't have free ports for the requested pod ports");
  const insufficient = insufficiency(candidate, entry);
  if (insufficient) return insufficient;
  if (!volumes.every((volume) => isReachable(volume, entry)))
    return final("node(s) didn't match PersistentVolume's node affinity");
  const spreadReason = spread.reasonAgainst(entry);
  if (spreadReason) return spreadRejection(spreadReason);
  const affinityReason = affinity.reasonAgainst(entry);
  return affinityReason && affinityRejection(affinityReason);
}

function portsTaken({ ports }: Candidate, { pods }: NodeEntry): boolean {
  if (ports.length === 0) return false;
  for (const { ports: taken } of pods.values())
    if (taken.some((port) => ports.some((wanted) => portsConflict(port, wanted)))) return true;
  return false;
}

/** The order in which upstream names resources; all others follow. */
const first = ['cpu', 'memory', 'ephemeral-storage'];

function insufficiency(candidate: Candidate, entry: NodeEntry): Rejection | undefined {
  const { requests } = candidate;
  const { allocatable, requested, pods } = entry;
  const reasons: string[] = [];
  let resolvable = true;
  const ahead = nominatedAhead(candidate, entry);
  if (pods.size + ahead.length + 1 > (allocatable.get('pods') ?? 0)) reasons.push('Too many pods');
  const names = [...first, ...[...requests.keys()].filter((name) => !first.includes(name))];
  for (const name of names) {
    const wanted = requests.get(name) ?? 0;
    const total = allocatable.get(name) ?? 0;
    const reserved = ahead.reduce((sum, { requests: each }) => sum + (each.get(name) ?? 0), 0);
    if (wanted <= 0 || wanted <= total - (requested.get(name) ?? 0) - reserved) continue;
    reasons.push(`Insufficient ${name}`);
    if (wanted > total) resolvable = false;
  }
  return reasons.length > 0 ? { reasons, resolvable } : undefined;
}

/** Pods for which room is made here and that this one may not overtake. */
function nominatedAhead({ pod }: Candidate, { nominated }: NodeEntry): readonly PlacedPod[] {
  if (nominated.size === 0) return [];
  const key = cacheKey(pod.metadata);
  const priority = pod.spec?.priority ?? 0;
  return [...nominated.values()].filter((each) => each.key !== key && (each.pod.spec?.priority ?? 0) >= priority);
}

function spreadRejection(reason: SpreadReason): Rejection {
  const text = "node(s) didn't match pod topology spread constraints";
  return reason === 'spread' ? crowded(text) : final(`${text} (missing required label)`);
}

function affinityRejection(reason: PodAffinityReason): Rejection {
  switch (reason) {
    case 'affinity':
      return final("node(s) didn't match pod affinity rules");
    case 'anti-affinity':
      return crowded("node(s) didn't match pod anti-affinity rules");
    case 'existing anti-affinity':
      return crowded("node(s) didn't satisfy existing pods anti-affinity rules");
  }
}
