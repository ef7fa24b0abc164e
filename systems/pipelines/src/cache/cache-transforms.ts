import { strip, type Transform, withoutManagedFields } from '@tektite/controller';
import type { KubeObject } from '@tektite/meta';
import type { Container, Pod } from '@tektite/schema/kubernetes';
import type { CustomRun } from '../kinds/custom-run.ts';
import type { PipelineRun } from '../kinds/pipeline-run.ts';
import type { RunCondition } from '../kinds/run-status.ts';
import type { TaskRun } from '../kinds/task-run.ts';

/** What of the objects of each kind is kept in memory. */
export interface CacheTransforms {
  readonly taskRun: Transform<TaskRun, TaskRun>;
  readonly pipelineRun: Transform<PipelineRun, PipelineRun>;
  readonly customRun: Transform<CustomRun, CustomRun>;
  readonly pod: Transform<Pod, Pod>;
}

/**
 * Leaves out what nobody reads: bookkeeping of all objects; of runs that are over, what they were made of and how they went in
 * detail; of Pods, nearly all of the spec. Who needs it all the same has to ask the API.
 *
 * What a retry counts by (`retriesStatus`, `podName`, `completionTime` of TaskRuns) stays, and so do the finalizers of Pods,
 * which upstream drops too: by them it is known whether something that is deleted will go at once.
 */
export const strippingTransforms: CacheTransforms = {
  taskRun: (run) => ifOver(run, ['taskSpec', 'provenance', 'spanContext', 'steps', 'sidecars']),
  pipelineRun: (run) => ifOver(run, ['pipelineSpec', 'provenance', 'spanContext']),
  customRun: (run) => ifOver(run, ['retriesStatus', 'completionTime']),
  pod: (pod) => {
    const { spec, ...rest } = strip<Pod>(pod) as Pod;
    const containers = (spec?.containers ?? []).map(({ name }): Container => ({ name }));
    return { ...rest, ...(spec ? { spec: { containers } } : {}) };
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
  readonly status?: { readonly conditions?: readonly RunCondition[] };
}

/** A run without its bookkeeping and, if it is over, without these fields of its status. */
function ifOver<T extends Run>(given: T, fields: readonly (keyof NonNullable<T['status']>)[]): T {
  const run = strip<T>(given) as unknown as T;
  const succeeded = run.status?.conditions?.find(({ type }) => type === 'Succeeded');
  if (!run.status || !succeeded || succeeded.status === 'Unknown') return run;
  const left = Object.entries(run.status).filter(([field]) => !(fields as readonly string[]).includes(field));
  return { ...run, status: Object.fromEntries(left) };
}
