import { formatTime } from '@tektite/meta';
import type { Node, NodeCondition, NodeStatus } from '@tektite/schema/kubernetes';
import type { Machine } from './machine.ts';

export interface NodeFacts {
  readonly name: string;
  readonly machine: Machine;
  readonly runtimeVersion: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly taints: readonly { readonly key: string; readonly value?: string; readonly effect: string }[];
}

/** The version of Kubernetes whose kubelet this node behaves as. */
const kubeletVersion = 'v1.36.4';

/** The object a node registers with. */
export function nodeObject({ name, machine, labels, taints }: NodeFacts): Node {
  return {
    apiVersion: 'v1',
    kind: 'Node',
    metadata: { name, labels: { ...nodeLabels(name, machine), ...labels } },
    spec: taints.length > 0 ? { taints } : {},
  };
}

/** The labels that every node has. */
export function nodeLabels(name: string, { architecture }: Machine): Record<string, string> {
  return {
    'beta.kubernetes.io/arch': architecture,
    'beta.kubernetes.io/os': 'linux',
    'kubernetes.io/arch': architecture,
    'kubernetes.io/hostname': name,
    'kubernetes.io/os': 'linux',
  };
}

const conditions: readonly Pick<NodeCondition, 'type' | 'status' | 'reason' | 'message'>[] = [
  {
    type: 'MemoryPressure',
    status: 'False',
    reason: 'KubeletHasSufficientMemory',
    message: 'kubelet has sufficient memory available',
  },
  {
    type: 'DiskPressure',
    status: 'False',
    reason: 'KubeletHasNoDiskPressure',
    message: 'kubelet has no disk pressure',
  },
  {
    type: 'PIDPressure',
    status: 'False',
    reason: 'KubeletHasSufficientPID',
    message: 'kubelet has sufficient PID available',
  },
  { type: 'Ready', status: 'True', reason: 'KubeletReady', message: 'kubelet is posting ready status' },
];

/** The status of a node that is well. Times of change are kept where nothing changed. */
export function nodeStatus(
  { name, machine, runtimeVersion }: NodeFacts,
  before: NodeStatus | undefined,
  now: number,
): NodeStatus {
  const time = formatTime(now);
  const old = new Map((before?.conditions ?? []).map((condition) => [condition.type, condition]));
  return {
    addresses: [
      ...machine.addresses.map((address) => ({ type: 'InternalIP', address })),
      { type: 'Hostname', address: name },
    ],
    capacity: machine.capacity,
    allocatable: machine.capacity,
    conditions: conditions.map((condition) => {
      const last = old.get(condition.type);
      const lastTransitionTime = last?.status === condition.status ? (last.lastTransitionTime ?? time) : time;
      return { ...condition, lastHeartbeatTime: time, lastTransitionTime };
    }),
    daemonEndpoints: { kubeletEndpoint: { Port: 10250 } },
    nodeInfo: { ...machine.info, containerRuntimeVersion: runtimeVersion, kubeletVersion, kubeProxyVersion: '' },
  };
}
