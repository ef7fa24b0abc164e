import type { Pod } from '@tektite/schema/kubernetes';
import type { TaskRunStatus } from '../kinds/task-run-spec.ts';
import { isStepContainer } from '../pod/container-names.ts';

/** The Pod of the run's present attempt, among those that it owns. */
export function currentPod(status: TaskRunStatus, owned: readonly Pod[]): Pod | undefined {
  if (status.podName) return owned.find(({ metadata }) => metadata.name === status.podName);
  const archived = new Set((status.retriesStatus ?? []).map(({ podName }) => podName));
  return owned.findLast(({ metadata, status: how }) => !archived.has(metadata.name ?? '') && how?.phase !== 'Failed');
}

/** Whether the first step may begin: everything that runs beside the steps is ready, or over already. */
export function areSidecarsReady({ status }: Pod): boolean {
  if (status?.phase !== 'Running') return false;
  return (status.containerStatuses ?? [])
    .filter(({ name }) => !isStepContainer(name))
    .every(({ ready, state }) => (state?.running && ready) || state?.terminated);
}

/** The sidecars that still run and are to be replaced by one that ends, by their place in the Pod's spec. */
export function sidecarsToStop(pod: Pod, except: ReadonlySet<string>, nop: string): readonly number[] {
  if (pod.status?.phase !== 'Running') return [];
  const running = new Set(
    (pod.status.containerStatuses ?? []).filter(({ state }) => state?.running).map(({ name }) => name),
  );
  return (pod.spec?.containers ?? []).flatMap(({ name, image }, index) =>
    !isStepContainer(name) && running.has(name) && !except.has(name) && image !== nop ? [index] : [],
  );
}
