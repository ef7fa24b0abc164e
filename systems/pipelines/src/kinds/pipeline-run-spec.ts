import type { ResourceRequirements } from '@tektite/schema/kubernetes';
import type { Param, ParamValue } from './param.ts';
import type { PipelineSpec, PipelineTaskMetadata } from './pipeline-spec.ts';
import type { PodTemplate } from './pod-template.ts';
import type { PipelineRef } from './resolver-reference.ts';
import type { Provenance, RunCondition } from './run-status.ts';
import type { TaskRunStepSpec } from './task-run-spec.ts';
import type { WhenExpression } from './when-expression.ts';
import type { WorkspaceBinding } from './workspace.ts';

export interface PipelineRunSpec {
  readonly pipelineRef?: PipelineRef;
  readonly pipelineSpec?: PipelineSpec;
  readonly params?: readonly Param[];
  /** What the user wants of the run: to wait, to stop, to end. */
  readonly status?: 'Cancelled' | 'CancelledRunFinally' | 'StoppedRunFinally' | 'PipelineRunPending' | (string & {});
  readonly timeouts?: PipelineTimeouts;
  readonly taskRunTemplate?: PipelineTaskRunTemplate;
  readonly workspaces?: readonly WorkspaceBinding[];
  readonly taskRunSpecs?: readonly PipelineTaskRunSpec[];
  /** Whose this run is. Ours: empty or `tekton.dev/pipeline`. */
  readonly managedBy?: string;
}

/** How long things may take, in Go's notation; `0s` is no limit. */
export interface PipelineTimeouts {
  readonly pipeline?: string;
  readonly tasks?: string;
  readonly finally?: string;
}

/** What all TaskRuns of the run have. */
export interface PipelineTaskRunTemplate {
  readonly podTemplate?: PodTemplate;
  readonly serviceAccountName?: string;
}

/** What the TaskRuns of one task have. */
export interface PipelineTaskRunSpec extends PipelineTaskRunTemplate {
  readonly pipelineTaskName?: string;
  readonly stepSpecs?: readonly TaskRunStepSpec[];
  readonly sidecarSpecs?: readonly TaskRunStepSpec[];
  readonly metadata?: PipelineTaskMetadata;
  readonly computeResources?: ResourceRequirements;
  readonly timeout?: string;
}

export interface PipelineRunStatus {
  readonly conditions?: readonly RunCondition[];
  readonly observedGeneration?: number;
  readonly annotations?: Readonly<Record<string, string>>;
  readonly startTime?: string;
  readonly completionTime?: string;
  readonly results?: readonly PipelineRunResult[];
  readonly pipelineSpec?: PipelineSpec;
  readonly skippedTasks?: readonly SkippedTask[];
  readonly childReferences?: readonly ChildReference[];
  readonly finallyStartTime?: string;
  readonly provenance?: Provenance;
  readonly spanContext?: Readonly<Record<string, string>>;
}

export interface PipelineRunResult {
  readonly name: string;
  readonly value: ParamValue;
}

export interface SkippedTask {
  readonly name: string;
  readonly reason: string;
  readonly whenExpressions?: readonly WhenExpression[];
}

/** A run that belongs to the run. */
export interface ChildReference {
  readonly apiVersion?: string;
  readonly kind?: string;
  readonly name: string;
  readonly displayName?: string;
  readonly pipelineTaskName?: string;
  readonly whenExpressions?: readonly WhenExpression[];
}
