import { formatTime } from '@tektite/meta';
import type { ContainerStatus, Pod, PodStatus } from '@tektite/schema/kubernetes';
import { type ContainerRecord, containersOf, ephemeralContainersOf, newRecord } from '../container/container-record.ts';
import { containerStatus } from './container-status.ts';
import { podConditions, type ResizeConditions } from './pod-conditions.ts';
import { type PodPhase, podPhase } from './pod-phase.ts';

/** The inputs of a Pod's status. */
export interface PodFacts {
  readonly pod: Pod;
  readonly records: ReadonlyMap<string, ContainerRecord>;
  readonly now: number;
  /** When the node first saw the Pod. */
  readonly startedAt: number;
  readonly hostIPs: readonly string[];
  readonly podIPs: readonly string[];
  readonly sandboxReady: boolean;
  /** No container will be started any more. */
  readonly ending: boolean;
  readonly resize?: ResizeConditions;
  /** Why the Pod failed, if it was not by its containers. */
  readonly failure?: { readonly reason: string; readonly message: string };
}

/** The status of a Pod as a kubelet of 1.36 writes it. What others wrote into it is kept. */
export function podStatus(facts: PodFacts): PodStatus {
  const { pod, records, failure } = facts;
  const before = pod.status;
  const { init, app, ephemeral } = statusesOf(pod, records);
  const started = app.some(({ state, lastState }) => state?.running || state?.terminated || lastState?.terminated);
  const finished = before?.phase === 'Succeeded' || before?.phase === 'Failed' ? (before.phase as PodPhase) : undefined;
  const phase = finished ?? (failure ? 'Failed' : phaseOf(facts, [...init, ...app], started));
  const reason = failure ?? (phase === before?.phase ? { reason: before.reason, message: before.message } : {});
  const [hostIP] = facts.hostIPs;
  const podIPs = facts.sandboxReady || before?.podIPs ? facts.podIPs : [];
  return {
    ...(pod.metadata.generation === undefined ? {} : { observedGeneration: pod.metadata.generation }),
    phase,
    conditions: podConditions(pod, phase, [...init, ...app], facts.sandboxReady, formatTime(facts.now), facts.resize),
    ...(reason.message ? { message: reason.message } : {}),
    ...(reason.reason ? { reason: reason.reason } : {}),
    ...(hostIP ? { hostIP, hostIPs: facts.hostIPs.map((ip) => ({ ip })) } : {}),
    ...(podIPs[0] ? { podIP: podIPs[0], podIPs: podIPs.map((ip) => ({ ip })) } : {}),
    startTime: before?.startTime ?? formatTime(facts.startedAt),
    ...(init.length > 0 ? { initContainerStatuses: init } : {}),
    containerStatuses: app,
    ...(ephemeral.length > 0 ? { ephemeralContainerStatuses: ephemeral } : {}),
    ...(before?.qosClass ? { qosClass: before.qosClass } : {}),
  };
}

/** A Pod that runs has not failed before all is cleaned up, and not ended while a container is replaced. */
function phaseOf({ pod, records, ending }: PodFacts, statuses: readonly ContainerStatus[], started: boolean): PodPhase {
  const phase = podPhase(pod, statuses, started, ending);
  if (ending || pod.status?.phase !== 'Running') return phase;
  const replacing = [...records.values()].some(({ instance }) => instance?.replaced);
  return phase === 'Failed' || (phase === 'Succeeded' && replacing) ? 'Running' : phase;
}

function statusesOf(
  pod: Pod,
  records: ReadonlyMap<string, ContainerRecord>,
): { init: ContainerStatus[]; app: ContainerStatus[]; ephemeral: ContainerStatus[] } {
  const entries = containersOf(pod);
  const hasInit = entries.some(({ role }) => role !== 'app');
  const init: ContainerStatus[] = [];
  const app: ContainerStatus[] = [];
  for (const entry of entries) {
    const record = records.get(entry.container.name) ?? newRecord(entry);
    const status = containerStatus(entry.container, record, hasInit);
    if (entry.role === 'app') app.push(status);
    else init.push(status);
  }
  const ephemeral = ephemeralContainersOf(pod).map((entry) =>
    containerStatus(entry.container, records.get(entry.container.name) ?? newRecord(entry), false),
  );
  return { init, app, ephemeral };
}
