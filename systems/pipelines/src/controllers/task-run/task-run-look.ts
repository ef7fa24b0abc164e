import { kinds, type SharedReads } from '@tektite/client';
import { cached, type CachedSource, owned, type ReconcileContext } from '@tektite/controller';

import type { CachedPod, CachedTaskRun, CacheTransforms } from '../../cache/cache-transforms.ts';
import type { ConfigDefaults } from '../../config/config-defaults.ts';
import type { FeatureFlags } from '../../config/feature-flags.ts';
import type { TaskRun } from '../../kinds/task-run.ts';
import type { TaskRunStatus } from '../../kinds/task-run-spec.ts';
import type { PodImages } from '../../pod/pod-images.ts';
import type { TaskRunMetrics } from '../../metrics/task-run-metrics.ts';
import type { ImageLookup } from './observe/image-lookup.ts';
import { currentPod } from './decide/task-run-pod.ts';

/** What the controller of TaskRuns is told by whoever runs it. */
export interface TaskRunOptions {
  /** The settings that hold now. */
  readonly flags: () => FeatureFlags;
  readonly defaults: () => ConfigDefaults;
  readonly images: PodImages;
  readonly release: string;
  /** What caches keep. */
  readonly transforms: CacheTransforms;
  readonly metrics?: TaskRunMetrics;
  /** Asks registries what images start. */
  readonly imageLookup: ImageLookup;
}

/** The Pods of TaskRuns, by what is kept of them. */
export function podsOf({ pod: transform }: CacheTransforms): CachedSource<CachedPod> {
  const known = podSources.get(transform) ?? owned(kinds.Pod, { labelSelector: managedByLabel, transform });
  podSources.set(transform, known);
  return known;
}

const managedByLabel = 'app.kubernetes.io/managed-by';
const podSources = new WeakMap<CacheTransforms['pod'], CachedSource<CachedPod>>();

export const limitRanges = cached(kinds.LimitRange);

/** One look at one TaskRun: what was found, and what is to be said of it. The phases of the look change that in turn. */
export interface TaskRunLook {
  /** As it was found. */
  readonly original: TaskRun;
  /** With its defaults, and the labels and annotations that it is to have. */
  taskRun: TaskRun;
  status: TaskRunStatus;
  /** Whether its Pod was made just now. */
  hasNewPod: boolean;
  /** Whether its Task is not there, or does not fit. */
  isUnfit: boolean;
  readonly now: number;
  readonly flags: FeatureFlags;
  readonly defaults: ConfigDefaults;
  readonly context: ReconcileContext;
  readonly options: TaskRunOptions;
  /** For what many runs read at the same time. */
  readonly reads: SharedReads;
}

export function beginLook(
  taskRun: TaskRun,
  context: ReconcileContext,
  options: TaskRunOptions,
  reads: SharedReads,
): TaskRunLook {
  return {
    original: taskRun,
    taskRun,
    status: taskRun.status ?? { podName: '' },
    hasNewPod: false,
    isUnfit: false,
    now: context.clock.now(),
    flags: options.flags(),
    defaults: options.defaults(),
    context,
    options,
    reads,
  };
}

/** The Pod of the present attempt, if there is one. */
export function podOf({
  taskRun,
  status,
  context,
  options,
}: Pick<TaskRunLook, 'context' | 'options'> & {
  readonly taskRun: CachedTaskRun;
  readonly status: NonNullable<CachedTaskRun['status']>;
}): CachedPod | undefined {
  return currentPod(status, context.cache(podsOf(options.transforms)).ownedBy(taskRun));
}

export function keyOfPod({ metadata }: CachedPod): { readonly namespace: string; readonly name: string } {
  return { namespace: metadata.namespace ?? '', name: metadata.name ?? '' };
}
