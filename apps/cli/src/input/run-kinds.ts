import type { KubeObject } from '@tektite/meta';

/** The kinds that run. */
export const runKinds = {
  TaskRun: { apiVersion: 'tekton.dev/v1', kind: 'TaskRun' },
  PipelineRun: { apiVersion: 'tekton.dev/v1', kind: 'PipelineRun' },
  CustomRun: { apiVersion: 'tekton.dev/v1beta1', kind: 'CustomRun' },
} as const;

export type RunKind = keyof typeof runKinds;

/** By this label the parts of a PipelineRun are found. */
export const pipelineRunLabel = 'tekton.dev/pipelineRun';

/** Whether an object of a file is something that runs. CustomRuns are the parts of others. */
export function isRun({ apiVersion, kind }: KubeObject): boolean {
  return apiVersion.startsWith('tekton.dev/') && (kind === 'TaskRun' || kind === 'PipelineRun');
}
