import type { ObjectKey } from '@tektite/client';
import type { KubeObject, ObjectMeta } from '@tektite/meta';
import { dynamicKind, type Kind } from '@tektite/schema';

/** As much of a TaskRun, PipelineRun or CustomRun as archiving reads; all of it is archived. */
export interface Run extends KubeObject {
  readonly spec?: { readonly managedBy?: string };
  readonly status?: {
    readonly conditions?: readonly { readonly type: string; readonly status: string; readonly reason?: string }[];
    readonly startTime?: string;
    readonly completionTime?: string;
    readonly podName?: string;
    readonly steps?: readonly { readonly name?: string; readonly container?: string }[];
    readonly childReferences?: readonly {
      readonly kind?: string;
      readonly name?: string;
      readonly pipelineTaskName?: string;
    }[];
  };
}

function runKind(kind: string, plural: string, version: string): Kind<Run> {
  return {
    ...dynamicKind<Run>({ group: 'tekton.dev', version, scope: 'Namespaced', kind, plural }),
    subresources: { status: {} },
  };
}

export const TaskRun: Kind<Run> = runKind('TaskRun', 'taskruns', 'v1');
export const PipelineRun: Kind<Run> = runKind('PipelineRun', 'pipelineruns', 'v1');
export const CustomRun: Kind<Run> = runKind('CustomRun', 'customruns', 'v1beta1');

export function succeededOf({ status }: Pick<Run, 'status'>) {
  return status?.conditions?.find(({ type }) => type === 'Succeeded');
}

/** A run has ended when its condition Succeeded is no longer Unknown. */
export function isCompleted(run: Pick<Run, 'status'>): boolean {
  const succeeded = succeededOf(run);
  return succeeded !== undefined && succeeded.status !== 'Unknown';
}

export function keyOfMetadata({ name = '', namespace = '' }: Pick<ObjectMeta, 'name' | 'namespace'>): ObjectKey {
  return { name, namespace };
}
