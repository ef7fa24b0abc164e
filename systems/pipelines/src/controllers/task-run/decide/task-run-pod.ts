import type { Pod } from '@tektite/schema/kubernetes';
import type { CachedPod } from '../../../cache/cache-transforms.ts';
import type { TaskRunStatus } from '../../../kinds/task-run-spec.ts';
import { isStepContainer } from '../../../pod/container-names.ts';

/** The Pod of the run's present attempt, among those that it owns. */
export function currentPod(
  status: Pick<TaskRunStatus, 'podName' | 'retriesStatus'>,
  owned: readonly CachedPod[],
): CachedPod | undefined {
  if (status.podName) return owned.find(({ metadata }) => metadata.name === status.podName);
  const archived = new Set((status.retriesStatus ?? []).map(({ podName }) => podName));
  return owned.findLast(({ metadata, status: how }) => !archived.has(metadata.name ?? '') && how?.phase !== 'Failed');
}

/** Whether the first step may begin: everything that runs beside the steps is ready, or over already. */
export function areSidecarsReady({ status }: CachedPod): boolean {
  if (status?.phase !== 'Running') return false;
  return (status.containerStatuses ?? [])
    .filter(({ name }) => !isStepContainer(name))
    .every(({ ready, state }) => (state?.running && ready) || state?.terminated);
}

/** The names of the sidecars that still run. */
export function runningSidecars({ status }: CachedPod, except: ReadonlySet<string>): ReadonlySet<string> {
  if (status?.phase !== 'Running') return new Set();
  const running = (status.containerStatuses ?? []).filter(({ state }) => state?.running).map(({ name }) => name);
  return new Set(running.filter((name) => !isStepContainer(name) && !except.has(name)));
}

/** The sidecars that still run and are to be replaced by one that ends, by their place in the Pod's spec. */
export function sidecarsToStop(pod: Pod, except: ReadonlySet<string>, nop: string): readonly number[] {
  const running = runningSidecars(pod, except);
  return (pod.spec?.containers ?? []).flatMap(({ name, image }, index) =>
    running.has(name) && image !== nop ? [index] : [],
  );
}
