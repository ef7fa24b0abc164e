import type { Param, ParamSpec, ParamType, ParamValue } from './param.ts';
import type { PipelineRef, TaskRef } from './resolver-reference.ts';
import type { TaskSpec } from './task-spec.ts';
import type { WhenExpression } from './when-expression.ts';

/** What a Pipeline does: tasks, in an order that follows from what they need. */
export interface PipelineSpec {
  readonly displayName?: string;
  readonly description?: string;
  readonly params?: readonly ParamSpec[];
  readonly workspaces?: readonly PipelineWorkspaceDeclaration[];
  readonly tasks?: readonly PipelineTask[];
  /** Tasks that run when all others are over, however they ended. */
  readonly finally?: readonly PipelineTask[];
  readonly results?: readonly PipelineResult[];
}

export interface PipelineWorkspaceDeclaration {
  readonly name: string;
  readonly description?: string;
  readonly optional?: boolean;
}

export interface PipelineResult {
  readonly name: string;
  readonly type?: ParamType;
  readonly description?: string;
  readonly value: ParamValue;
}

/** One task of a Pipeline: exactly one of the references and specs. */
export interface PipelineTask {
  readonly name: string;
  readonly displayName?: string;
  readonly description?: string;
  readonly taskRef?: TaskRef;
  readonly taskSpec?: EmbeddedTask;
  readonly pipelineRef?: PipelineRef;
  readonly pipelineSpec?: PipelineSpec;
  readonly when?: readonly WhenExpression[];
  readonly retries?: number;
  readonly runAfter?: readonly string[];
  readonly params?: readonly Param[];
  readonly matrix?: Matrix;
  readonly workspaces?: readonly PipelineTaskWorkspace[];
  readonly timeout?: string;
  readonly onError?: 'continue' | 'stopAndFail' | (string & {});
}

/** Which workspace of the Pipeline a task gets for one of its own. */
export interface PipelineTaskWorkspace {
  readonly name: string;
  /** Default: the one with the same name. */
  readonly workspace?: string;
  readonly subPath?: string;
}

/** A Task within a Pipeline; with `apiVersion` and `kind`, what a custom task is to do. */
export interface EmbeddedTask extends TaskSpec {
  readonly apiVersion?: string;
  readonly kind?: string;
  readonly metadata?: PipelineTaskMetadata;
  readonly spec?: Readonly<Record<string, unknown>> | null;
}

export interface PipelineTaskMetadata {
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
}

/** One task that becomes many: one run for each combination of the values. */
export interface Matrix {
  readonly params?: readonly Param[];
  readonly include?: readonly MatrixInclude[];
}

export interface MatrixInclude {
  readonly name?: string;
  readonly params?: readonly Param[];
}
