import { strip, type Transform, withoutManagedFields } from '@tektite/controller/cache';
import type { KubeObject, ObjectMeta } from '@tektite/meta';
import type { Container, Pod, PodSpec } from '@tektite/schema/kubernetes';
import { type ConditionedStatus, isCompleted } from '../conditions/succeeded-condition.ts';
import type { CustomRun } from '../kinds/custom-run.ts';
import type { PipelineRun } from '../kinds/pipeline-run.ts';
import type { TaskRun } from '../kinds/task-run.ts';

/**
 * These fields of an object, and not the others: nothing can be done with those, as their type is unknown, and the whole object
 * is not to be had of it. A whole object will do for it.
 */
type Only<T, K extends keyof T> = Pick<T, K> & { readonly [F in Exclude<keyof T, K>]?: unknown };

/** A Pod as caches have it. What else a function needs, it has to take from a `Pod`, which comes from the API. */
export interface CachedPod extends Omit<Pod, 'metadata' | 'spec'> {
  readonly metadata: CachedMetadata;
  readonly spec?: Only<Omit<PodSpec, 'containers' | 'initContainers'>, never> & {
    readonly containers: readonly Only<Container, 'name'>[] | null;
    readonly initContainers?: readonly Only<Container, 'name'>[] | null;
  };
}

/** Without what only field managers read. */
type CachedMetadata = Omit<ObjectMeta, 'managedFields'>;

/** A run as caches have it: of a completed one, these fields of the status are not kept. {@link isWhole} checks it. */
type CachedRun<T extends Run, F extends keyof NonNullable<T['status']>> = Omit<T, 'metadata' | 'status'> & {
  readonly metadata: CachedMetadata;
  readonly status?: Only<NonNullable<T['status']>, Exclude<keyof NonNullable<T['status']>, F>>;
};

export type CachedTaskRun = CachedRun<TaskRun, 'taskSpec' | 'provenance' | 'spanContext' | 'steps' | 'sidecars'>;
export type CachedPipelineRun = CachedRun<PipelineRun, 'pipelineSpec' | 'provenance' | 'spanContext'>;
export type CachedCustomRun = CachedRun<CustomRun, 'retriesStatus' | 'completionTime'>;

/** Whether a cached run has all of its status: it is not completed. */
export function isWhole(run: CachedTaskRun): run is TaskRun;
export function isWhole(run: CachedPipelineRun): run is PipelineRun;
export function isWhole(run: CachedCustomRun): run is CustomRun;
export function isWhole(run: CachedTaskRun | CachedPipelineRun | CachedCustomRun): boolean {
  return !isCompleted(run.status as ConditionedStatus | undefined);
}

/** The transforms of the caches that all controllers of Pipelines share. */
export interface CacheTransforms {
  readonly taskRun: Transform<TaskRun, CachedTaskRun>;
  readonly pipelineRun: Transform<PipelineRun, CachedPipelineRun>;
  readonly customRun: Transform<CustomRun, CachedCustomRun>;
  readonly pod: Transform<Pod, CachedPod>;
}

/**
 * Strips unused fields: managedFields of all objects; of completed runs, the spec and the details of the status; of
 * Pods, nearly all of the spec. Code that needs them has to read from the API.
 *
 * The fields that retries depend on (`retriesStatus`, `podName`, `completionTime` of TaskRuns) stay, and so do the
 * finalizers of Pods, which upstream drops too: they show whether a deleted object is deleted at once.
 */
export const strippingTransforms: CacheTransforms = {
  taskRun: (run) => ifCompleted(run, ['taskSpec', 'provenance', 'spanContext', 'steps', 'sidecars']),
  pipelineRun: (run) => ifCompleted(run, ['pipelineSpec', 'provenance', 'spanContext']),
  customRun: (run) => ifCompleted(run, ['retriesStatus', 'completionTime']),
  pod: (pod) => {
    const { spec, ...rest } = strip<Pod>(pod);
    if (!spec) return rest;
    const containers = (spec.containers ?? []).map(({ name }) => ({ name }));
    // Results may come from the log of an init container that goes on beside the steps.
    const initContainers = (spec.initContainers ?? []).map(({ name }) => ({ name }));
    return { ...rest, spec: { containers, ...(initContainers.length > 0 ? { initContainers } : {}) } };
  },
};

/** Keeps everything but what no controller reads. */
export const plainTransforms: CacheTransforms = {
  taskRun: withoutManagedFields,
  pipelineRun: withoutManagedFields,
  customRun: withoutManagedFields,
  pod: withoutManagedFields,
};

interface Run extends KubeObject {
  readonly status?: ConditionedStatus;
}

/** A run without what only field managers read and, if it is completed, without these fields of its status. */
function ifCompleted<T extends Run, F extends keyof NonNullable<T['status']>>(
  given: T,
  fields: readonly F[],
): CachedRun<T, F> {
  const run = strip<T>(given) as T;
  if (!run.status || !isCompleted(run.status)) return run as CachedRun<T, F>;
  const left = Object.entries(run.status).filter(([field]) => !(fields as readonly string[]).includes(field));
  return { ...run, status: Object.fromEntries(left) } as CachedRun<T, F>;
}
