import type { ContainerState, ContainerStatus, Pod } from '@tektite/schema/kubernetes';
import {
  type ContainerRecord,
  containersOf,
  ephemeralContainersOf,
  newRecord,
  type Termination,
} from '../container/container-record.ts';

/**
 * The state of a Pod that this process did not start, from its status. Containers die with the process that runs them,
 * so a running one has ended in an unknown way; the words are those of kubelets.
 */
export function restoreRecords(pod: Pod): Map<string, ContainerRecord> {
  const { initContainerStatuses, containerStatuses, ephemeralContainerStatuses } = pod.status ?? {};
  const statuses = [
    ...(initContainerStatuses ?? []),
    ...(containerStatuses ?? []),
    ...(ephemeralContainerStatuses ?? []),
  ];
  const byName = new Map(statuses.map((status) => [status.name, status]));
  const finished = pod.status?.phase === 'Succeeded' || pod.status?.phase === 'Failed';
  const lost = !finished && statuses.some(({ state }) => state?.running);
  const records = new Map<string, ContainerRecord>();
  for (const entry of [...containersOf(pod), ...ephemeralContainersOf(pod)]) {
    const status = byName.get(entry.container.name);
    const fresh = newRecord(entry);
    records.set(fresh.name, status ? restored(fresh, status) : fresh);
  }
  // The Pod's shared state went with its containers: what is started again begins with the init containers.
  if (lost && pod.spec?.restartPolicy !== 'Never') forgetInit(records);
  return records;
}

function restored(fresh: ContainerRecord, status: ContainerStatus): ContainerRecord {
  const { restartCount, state, lastState, imageID, containerID } = status;
  const lastTermination = terminationOf(lastState);
  const base = { ...fresh, restartCount, ...(lastTermination ? { lastTermination } : {}) };
  const termination = state?.running ? lostTermination(containerID) : terminationOf(state);
  if (termination)
    return {
      ...base,
      instance: { imageID, started: false, ready: false, ...(containerID ? { containerID } : {}), termination },
    };
  // It was waiting to be started again: what it waits for counts from the end of the last one.
  if (!lastTermination) return base;
  const { lastTermination: _, ...rest } = base;
  return { ...rest, instance: { imageID, started: false, ready: false, termination: lastTermination } };
}

function forgetInit(records: Map<string, ContainerRecord>): void {
  for (const [name, record] of records) {
    if (record.role !== 'init' || !record.instance?.termination) continue;
    const { instance, ...rest } = record;
    records.set(name, {
      ...rest,
      lastTermination: instance.termination as Termination,
      restartCount: record.restartCount + 1,
    });
  }
}

export function lostTermination(containerID: string | undefined): Termination {
  return {
    exitCode: 137,
    reason: 'ContainerStatusUnknown',
    message: 'The container could not be located when the pod was terminated',
    ...(containerID ? { containerID } : {}),
  };
}

function terminationOf(state: ContainerState | undefined): Termination | undefined {
  const terminated = state?.terminated;
  if (!terminated) return undefined;
  const { exitCode, reason = '', message, containerID } = terminated;
  const time = (text: string | null | undefined) => (text ? Date.parse(text) : undefined);
  const startedAt = time(terminated.startedAt);
  const finishedAt = time(terminated.finishedAt);
  return {
    exitCode,
    reason,
    ...(message ? { message } : {}),
    ...(startedAt === undefined ? {} : { startedAt }),
    ...(finishedAt === undefined ? {} : { finishedAt }),
    ...(containerID ? { containerID } : {}),
  };
}
