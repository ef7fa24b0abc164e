import type { KubeObject } from '@tektite/meta';
import type { Param } from './param.ts';
import type { PipelineTaskMetadata } from './pipeline-spec.ts';
import type { TaskRef } from './resolver-reference.ts';
import type { RunCondition } from './run-status.ts';
import type { WorkspaceBinding } from './workspace.ts';

/** One execution of a custom task: a controller of somebody else's carries it out, and tells in the status how it went. */
export interface CustomRun extends KubeObject {
  readonly spec: CustomRunSpec;
  readonly status?: CustomRunStatus;
}

export interface CustomRunSpec {
  readonly customRef?: TaskRef;
  readonly customSpec?: EmbeddedCustomRunSpec;
  readonly params?: readonly Param[];
  readonly status?: 'RunCancelled' | (string & {});
  readonly statusMessage?: string;
  readonly retries?: number;
  readonly serviceAccountName?: string;
  readonly timeout?: string;
  readonly workspaces?: readonly WorkspaceBinding[];
}

export interface EmbeddedCustomRunSpec {
  readonly apiVersion?: string;
  readonly kind?: string;
  readonly metadata?: PipelineTaskMetadata;
  readonly spec?: Readonly<Record<string, unknown>> | null;
}

export interface CustomRunStatus {
  readonly conditions?: readonly RunCondition[];
  readonly observedGeneration?: number;
  readonly annotations?: Readonly<Record<string, string>>;
  readonly startTime?: string;
  readonly completionTime?: string;
  readonly results?: readonly CustomRunResult[];
  readonly retriesStatus?: readonly CustomRunStatus[];
  readonly extraFields?: unknown;
}

export interface CustomRunResult {
  readonly name: string;
  readonly value: string;
}
