import type { SourceCache, SourceTarget } from '@tektite/controller';
import { controllerOf, labelSelectorOf } from '@tektite/meta';
import type { Job, Pod } from '@tektite/schema/kubernetes';
import { controllerKeys } from '../pods/orphan-index.ts';
import { isTracked } from './pod-tally.ts';

const index = 'trackedPods';
const jobNameLabels = ['batch.kubernetes.io/job-name', 'job-name'];

/**
 * The key of the Job that created a tracked Pod. A Pod without a controller, such as one that was orphaned, still has the
 * label with the name of its Job.
 */
function jobKeyOf(pod: Pod): string | undefined {
  if (!isTracked(pod)) return undefined;
  const { namespace = '', labels } = pod.metadata;
  const controller = controllerOf(pod);
  if (controller) return controller.kind === 'Job' ? `${namespace}/${controller.name}` : undefined;
  const name = jobNameLabels.map((label) => labels?.[label]).find((value) => value !== undefined);
  return name === undefined ? undefined : `${namespace}/${name}`;
}

/** Indexes Pods with the tracking finalizer by the key of their Job, whether or not that Job exists. */
export const trackedPodIndex = {
  [index]: (pod: Pod): string[] => {
    const key = jobKeyOf(pod);
    return key === undefined ? [] : [key];
  },
};

/** The Jobs to reconcile after a change of a Pod: its own, the one that tracked it, and those that may adopt it. */
export function jobKeysOf(pod: Pod, own: SourceTarget): string[] {
  const tracked = jobKeyOf(pod);
  return [...controllerKeys(pod, own), ...(tracked === undefined ? [] : [tracked])];
}

export function trackedPods(cache: SourceCache<Pod>, key: string): readonly Pod[] {
  return cache.byIndex(index, key);
}

/** Whether a tracked Pod belonged to an earlier Job of that name, or to this one, which no longer selects it. */
export function isAbandoned(job: Job, pod: Pod): boolean {
  const controller = controllerOf(pod);
  if (controller) return controller.uid !== job.metadata.uid;
  return !labelSelectorOf(job.spec?.selector).matches(pod.metadata.labels);
}
