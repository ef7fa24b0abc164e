import { formatTime } from '@tektite/meta';
import type { Container, ContainerState, ContainerStateTerminated, ContainerStatus } from '@tektite/schema/kubernetes';
import type { ContainerRecord, Termination } from '../container/container-record.ts';

/** The status of a container, as kubelets write it. `initializing`: the Pod has init containers that come first. */
export function containerStatus(container: Container, record: ContainerRecord, initializing: boolean): ContainerStatus {
  const { instance } = record;
  const running = instance !== undefined && instance.termination === undefined;
  const { state, lastState } = statesOf(record, initializing);
  const volumeMounts = (container.volumeMounts ?? []).map(({ name, mountPath, readOnly }) => ({
    name,
    mountPath,
    ...(readOnly ? { readOnly: true, recursiveReadOnly: 'Disabled' } : {}),
  }));
  const requests = container.resources?.requests;
  return {
    name: container.name,
    state,
    lastState,
    ready: record.role === 'init' ? state.terminated?.exitCode === 0 : running && (instance?.ready ?? false),
    restartCount: record.restartCount,
    image: container.image ?? '',
    imageID: instance?.imageID ?? '',
    ...(instance?.containerID ? { containerID: instance.containerID } : {}),
    started: running && instance.started,
    ...(instance && requests && Object.keys(requests).length > 0 ? { allocatedResources: requests } : {}),
    ...(instance?.containerID ? { resources: instance.resources ?? container.resources ?? {} } : {}),
    ...(volumeMounts.length > 0 ? { volumeMounts } : {}),
    ...(instance?.user ? { user: { linux: instance.user } } : {}),
  };
}

function statesOf(
  record: ContainerRecord,
  initializing: boolean,
): { state: ContainerState; lastState: ContainerState } {
  const { instance, lastTermination, waiting } = record;
  const last = (termination: Termination | undefined): ContainerState =>
    termination ? { terminated: terminated(termination) } : {};
  if (instance && !instance.termination) {
    const startedAt = instance.startedAt === undefined ? {} : { startedAt: formatTime(instance.startedAt) };
    return { state: { running: startedAt }, lastState: last(lastTermination) };
  }
  if (waiting) return { state: { waiting }, lastState: last(instance?.termination ?? lastTermination) };
  if (instance?.termination) return { state: last(instance.termination), lastState: last(lastTermination) };
  const reason = initializing ? 'PodInitializing' : 'ContainerCreating';
  return { state: { waiting: { reason } }, lastState: last(lastTermination) };
}

function terminated({
  exitCode,
  reason,
  message,
  startedAt,
  finishedAt,
  containerID,
}: Termination): ContainerStateTerminated {
  return {
    exitCode,
    reason,
    ...(message ? { message } : {}),
    // Go's zero time is null on the wire.
    startedAt: (startedAt === undefined ? null : formatTime(startedAt)) as string,
    finishedAt: (finishedAt === undefined ? null : formatTime(finishedAt)) as string,
    ...(containerID ? { containerID } : {}),
  };
}
