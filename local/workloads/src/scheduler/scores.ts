import type { NodeEntry } from './cluster-state.ts';
import type { Candidate } from './filters.ts';
import { nodePreference } from './node-affinity.ts';
import { unwelcome } from './tolerations.ts';

/** A Pod that asks for nothing is taken to need this, so that such Pods are spread too. */
const assumedRequests: ReadonlyMap<string, number> = new Map([
  ['cpu', 100],
  ['memory', 200 * 1024 * 1024],
]);

/** Of nodes that all will do, the best: the one with most room left, and what the Pod and the node would like. */
export function bestNode(candidate: Candidate, entries: readonly NodeEntry[]): NodeEntry | undefined {
  if (entries.length < 2) return entries[0];
  const { spec } = candidate.pod;
  const preferences = entries.map((entry) => (spec && entry.node ? nodePreference(spec, entry.node) : 0));
  const taints = entries.map((entry) => -unwelcome(spec?.tolerations, entry.node?.spec?.taints));
  const company = entries.map((entry) => candidate.affinity.preference(entry));
  const crowding = entries.map((entry) => -candidate.spread.crowding(entry));
  const [a, b, c, d] = [normalize(preferences), normalize(taints), normalize(company), normalize(crowding)];
  let best = 0;
  let bestScore = Number.NEGATIVE_INFINITY;
  entries.forEach((entry, index) => {
    const preference = 2 * (a[index] ?? 0) + 3 * (b[index] ?? 0) + 2 * (c[index] ?? 0) + 2 * (d[index] ?? 0);
    const score = preference + room(candidate, entry) + balance(candidate, entry);
    // Among equals, the one with fewer Pods.
    const tie = score === bestScore && entry.pods.size < (entries[best]?.pods.size ?? 0);
    if (score > bestScore || tie) [best, bestScore] = [index, score];
  });
  return entries[best];
}

/** From 0 for the worst to 100 for the best; all the same when there is no difference. */
function normalize(values: readonly number[]): readonly number[] {
  const low = Math.min(...values);
  const span = Math.max(...values) - low;
  return values.map((value) => (span === 0 ? 0 : (100 * (value - low)) / span));
}

function fractions({ requests }: Candidate, { allocatable, requested }: NodeEntry): number[] {
  return [...assumedRequests].map(([name, assumed]) => {
    const total = allocatable.get(name) ?? 0;
    if (total === 0) return 1;
    return Math.min(1, ((requested.get(name) ?? 0) + (requests.get(name) ?? assumed)) / total);
  });
}

/** How much of cpu and memory would be left, in percent. */
function room(candidate: Candidate, entry: NodeEntry): number {
  const used = fractions(candidate, entry);
  return (100 * used.reduce((sum, fraction) => sum + 1 - fraction, 0)) / used.length;
}

/** 100 when cpu and memory would be used to the same part. */
function balance(candidate: Candidate, entry: NodeEntry): number {
  const [cpu = 0, memory = 0] = fractions(candidate, entry);
  return 100 - (100 * Math.abs(cpu - memory)) / 2;
}
