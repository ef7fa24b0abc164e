import type { ContainerStatus, Pod } from '@tektite/schema/kubernetes';
import { containersOf } from '../container/container-record.ts';
import { shouldRestart } from '../container/restart-policy.ts';

export type PodPhase = 'Pending' | 'Running' | 'Succeeded' | 'Failed';

/**
 * The phase that follows from what the containers are doing. `ending`: none will be started again, whatever the policies say.
 */
export function podPhase(
  pod: Pod,
  statuses: readonly ContainerStatus[],
  initialized: boolean,
  ending: boolean,
): PodPhase {
  const byName = new Map(statuses.map((status) => [status.name, status]));
  let pendingInit = 0;
  let pendingSidecars = 0;
  let failedInit = 0;
  let running = 0;
  let waiting = 0;
  let unknown = 0;
  const stopped: { restartable: boolean; succeeded: boolean }[] = [];
  for (const { container, role } of containersOf(pod)) {
    const { state, lastState, started } = byName.get(container.name) ?? {};
    const terminated = state?.terminated ?? (state?.waiting ? lastState?.terminated : undefined);
    if (role === 'init') {
      if (!terminated) pendingInit++;
      else if (terminated.exitCode !== 0 && !shouldRestart(pod, container, role, terminated.exitCode)) failedInit++;
      continue;
    }
    if (role === 'sidecar') {
      if (state?.running) running++;
      if ((state?.running && !started) || (!state?.running && !terminated)) pendingSidecars++;
      if (!state?.running && !terminated) waiting++;
      continue;
    }
    if (state?.running) running++;
    else if (terminated) {
      const restartable = shouldRestart(pod, container, role, terminated.exitCode);
      stopped.push({ restartable, succeeded: state?.terminated !== undefined && terminated.exitCode === 0 });
    } else if (state?.waiting) waiting++;
    else unknown++;
  }
  if (failedInit > 0) return 'Failed';
  if (pendingInit > 0 || (pendingSidecars > 0 && !initialized) || waiting > 0) return 'Pending';
  if (running > 0 && unknown === 0) return 'Running';
  if (stopped.length === 0 || unknown > 0) return 'Pending';
  if (!ending && stopped.some(({ restartable }) => restartable)) return 'Running';
  return stopped.every(({ succeeded }) => succeeded) ? 'Succeeded' : 'Failed';
}
