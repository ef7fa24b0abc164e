import type { Node, Taint } from '@tektite/schema/kubernetes';

const notReady = 'node.kubernetes.io/not-ready';
const unreachable = 'node.kubernetes.io/unreachable';

/** Which condition in which state keeps Pods from a node, and by which taint. */
const conditionTaints: readonly { readonly type: string; readonly status: string; readonly key: string }[] = [
  { type: 'Ready', status: 'False', key: notReady },
  { type: 'Ready', status: 'Unknown', key: unreachable },
  { type: 'MemoryPressure', status: 'True', key: 'node.kubernetes.io/memory-pressure' },
  { type: 'DiskPressure', status: 'True', key: 'node.kubernetes.io/disk-pressure' },
  { type: 'NetworkUnavailable', status: 'True', key: 'node.kubernetes.io/network-unavailable' },
  { type: 'PIDPressure', status: 'True', key: 'node.kubernetes.io/pid-pressure' },
];
const unschedulable = 'node.kubernetes.io/unschedulable';
const ownKeys = new Set([...conditionTaints.map(({ key }) => key), unschedulable]);

/** The taints that a node should have: those of others as they are, and what its conditions ask for. */
export function nodeTaints({ spec, status }: Node, now: string): readonly Taint[] {
  const before = spec?.taints ?? [];
  const wanted: Taint[] = [];
  const conditions = status?.conditions ?? [];
  for (const { type, status: state, key } of conditionTaints)
    if (conditions.some((condition) => condition.type === type && condition.status === state))
      wanted.push({ key, effect: 'NoSchedule' });
  const ready = conditions.find(({ type }) => type === 'Ready')?.status;
  if (ready === 'False') wanted.push({ key: notReady, effect: 'NoExecute', timeAdded: now });
  if (ready === 'Unknown') wanted.push({ key: unreachable, effect: 'NoExecute', timeAdded: now });
  if (spec?.unschedulable) wanted.push({ key: unschedulable, effect: 'NoSchedule', timeAdded: now });
  // One that never said how it is keeps the taint that it was born with.
  if (ready === undefined) wanted.push(...before.filter(({ key }) => key === notReady));
  const kept = before.filter(
    ({ key, effect }) => !isOwn(key, effect) || wanted.some((taint) => taint.key === key && taint.effect === effect),
  );
  const missing = wanted.filter(
    ({ key, effect }) => !kept.some((taint) => taint.key === key && taint.effect === effect),
  );
  return missing.length === 0 && kept.length === before.length ? before : [...kept, ...missing];
}

function isOwn(key: string, effect: string): boolean {
  return ownKeys.has(key) && (effect === 'NoSchedule' || key === notReady || key === unreachable);
}
