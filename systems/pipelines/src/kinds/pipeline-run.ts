import type { KubeObject } from '@tektite/meta';
import type { PipelineRunSpec, PipelineRunStatus } from './pipeline-run-spec.ts';

/** One execution of a Pipeline. */
export interface PipelineRun extends KubeObject {
  readonly spec: PipelineRunSpec;
  readonly status?: PipelineRunStatus;
}
