import type { ContainerState, ResourceRequirements } from '@tektite/schema/kubernetes';
import type { Param } from './param.ts';
import type { PodTemplate } from './pod-template.ts';
import type { TaskRef } from './resolver-reference.ts';
import type { Artifact, Artifacts, Provenance, RunCondition, RunResult } from './run-status.ts';
import type { TaskSpec } from './task-spec.ts';
import type { WorkspaceBinding } from './workspace.ts';

export interface TaskRunSpec {
  readonly debug?: TaskRunDebug;
  readonly params?: readonly Param[];
  readonly serviceAccountName?: string;
  readonly taskRef?: TaskRef;
  readonly taskSpec?: TaskSpec;
  readonly status?: 'TaskRunCancelled' | 'TaskRunPending' | (string & {});
  readonly statusMessage?: string;
  readonly retries?: number;
  readonly timeout?: string;
  readonly podTemplate?: PodTemplate;
  readonly workspaces?: readonly WorkspaceBinding[];
  readonly stepSpecs?: readonly TaskRunStepSpec[];
  readonly sidecarSpecs?: readonly TaskRunStepSpec[];
  readonly computeResources?: ResourceRequirements;
  /** Whose this run is. Ours: empty or `tekton.dev/pipeline`. */
  readonly managedBy?: string;
}

export interface TaskRunDebug {
  readonly breakpoints?: {
    readonly onFailure?: string;
    readonly beforeSteps?: readonly string[];
  };
}

/** What a run changes about one step or sidecar. */
export interface TaskRunStepSpec {
  readonly name: string;
  readonly computeResources: ResourceRequirements;
}

export interface TaskRunStatus {
  readonly conditions?: readonly RunCondition[];
  readonly observedGeneration?: number;
  readonly annotations?: Readonly<Record<string, string>>;
  readonly podName: string;
  readonly startTime?: string;
  readonly completionTime?: string;
  readonly steps?: readonly StepState[];
  readonly retriesStatus?: readonly TaskRunStatus[];
  readonly results?: readonly RunResult[];
  readonly artifacts?: Artifacts;
  readonly sidecars?: readonly SidecarState[];
  readonly taskSpec?: TaskSpec;
  readonly provenance?: Provenance;
  readonly spanContext?: Readonly<Record<string, string>>;
}

export interface StepState extends ContainerState {
  readonly name?: string;
  readonly container?: string;
  readonly imageID?: string;
  readonly results?: readonly RunResult[];
  readonly provenance?: Provenance;
  readonly terminationReason?: string;
  readonly inputs?: readonly Artifact[];
  readonly outputs?: readonly Artifact[];
}

export interface SidecarState extends ContainerState {
  readonly name?: string;
  readonly container?: string;
  readonly imageID?: string;
}
