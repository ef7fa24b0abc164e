import { kinds } from '@tektite/client';
import { cached, type CachedSource, owned, type ReconcileContext } from '@tektite/controller';
import type { CachedPod, CacheTransforms } from '../../cache/cache-transforms.ts';
import type { CurrentSettings } from '../../config/current-settings.ts';
import type { TaskRunMetrics } from '../../metrics/task-run-metrics.ts';
import type { PodImages } from '../../pod/pod-images.ts';
import type { ImageLookup } from '../../images/image-lookup.ts';
import type { SharedReads } from '@tektite/client';
import type { NativeSidecars } from './native-sidecars.ts';

/** Settings and dependencies of the TaskRun controller. */
export interface TaskRunOptions extends CurrentSettings {
  readonly images: PodImages;
  readonly release: string;
  readonly transforms: CacheTransforms;
  readonly metrics?: TaskRunMetrics;
  /** Reads the entrypoints of images from registries. */
  readonly imageLookup: ImageLookup;
}

/** The I/O of one reconcile. */
export interface TaskRunServices {
  readonly context: ReconcileContext;
  readonly options: TaskRunOptions;
  /** Shares reads of the same object between concurrent reconciles. */
  readonly reads: SharedReads;
  readonly nativeSidecars: NativeSidecars;
}

const managedByLabel = 'app.kubernetes.io/managed-by';
const podSources = new WeakMap<CacheTransforms['pod'], CachedSource<CachedPod>>();

/** The Pods of TaskRuns. One source per transform: controllers of the same manager share the cache. */
export function podsOf({ pod: transform }: CacheTransforms): CachedSource<CachedPod> {
  const known = podSources.get(transform) ?? owned(kinds.Pod, { labelSelector: managedByLabel, transform });
  podSources.set(transform, known);
  return known;
}

export const limitRanges = cached(kinds.LimitRange);

export function keyOfPod({ metadata }: CachedPod): { readonly namespace: string; readonly name: string } {
  return { namespace: metadata.namespace ?? '', name: metadata.name ?? '' };
}
