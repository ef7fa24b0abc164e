import type { Node } from '@tektite/schema/kubernetes';

type NodeCondition = NonNullable<NonNullable<Node['status']>['conditions']>[number];

const monitored = ['Ready', 'MemoryPressure', 'DiskPressure', 'PIDPressure'];

/** The conditions of a node of which nothing was heard for too long; undefined when they say so already. */
export function silentConditions({ metadata, status }: Node, now: string): readonly NodeCondition[] | undefined {
  const before = status?.conditions ?? [];
  if (before.find(({ type }) => type === 'Ready')?.status === 'Unknown') return undefined;
  const unknown = monitored.map((type): NodeCondition => {
    const old = before.find((condition) => condition.type === type);
    if (!old)
      return {
        type,
        status: 'Unknown',
        reason: 'NodeStatusNeverUpdated',
        message: 'Kubelet never posted node status.',
        ...(metadata.creationTimestamp ? { lastHeartbeatTime: metadata.creationTimestamp } : {}),
        lastTransitionTime: now,
      };
    if (old.status === 'Unknown') return old;
    return {
      ...old,
      status: 'Unknown',
      reason: 'NodeStatusUnknown',
      message: 'Kubelet stopped posting node status.',
      lastTransitionTime: now,
    };
  });
  return [...before.filter(({ type }) => !monitored.includes(type)), ...unknown];
}

/** The last heartbeat of a node, in any form. A changed value means that the node is alive. */
export function signOfLife({ status }: Node, renewTime: string | undefined): string {
  const heartbeats = (status?.conditions ?? []).map(
    ({ type, lastHeartbeatTime = '' }) => `${type} ${lastHeartbeatTime}`,
  );
  return [renewTime ?? '', ...heartbeats].join();
}
