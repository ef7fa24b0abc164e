import type { ObjectKey } from '@tektite/client';
import type { KubeObject, ObjectMeta } from '@tektite/meta';
import { dynamicKind, type Kind } from '@tektite/schema';

/** A value of a parameter or a result: a text, a list or an object of texts. */
export type ParamValue = string | readonly string[] | Readonly<Record<string, string>>;

/** A result of a step, a TaskRun or a PipelineRun. */
export interface RunResult {
  readonly name: string;
  readonly type?: string;
  readonly value: ParamValue;
}

export interface ParamSpec {
  readonly name: string;
  readonly default?: ParamValue;
}

interface Param {
  readonly name: string;
  readonly value: ParamValue;
}

/** Where a Task, Pipeline or StepAction was read from. */
export interface RefSource {
  readonly uri?: string;
  readonly digest?: Readonly<Record<string, string>>;
  readonly entryPoint?: string;
}

export interface Provenance {
  readonly refSource?: RefSource;
  readonly featureFlags?: Readonly<Record<string, unknown>>;
}

interface Step {
  readonly name?: string;
  readonly command?: readonly string[];
  readonly args?: readonly string[];
  readonly script?: string;
}

export interface StepState {
  readonly name?: string;
  readonly imageID?: string;
  readonly results?: readonly RunResult[];
  readonly provenance?: Provenance;
}

interface RunStatus {
  readonly conditions?: readonly { readonly type: string; readonly status: string }[];
  readonly startTime?: string;
  readonly completionTime?: string;
  readonly provenance?: Provenance;
  readonly results?: readonly RunResult[];
}

interface Reference {
  readonly name?: string;
  readonly resolver?: string;
}

/** As much of a TaskRun as provenance is made of. */
export interface TaskRun extends KubeObject {
  readonly spec?: {
    readonly params?: readonly Param[];
    readonly taskRef?: Reference;
    readonly serviceAccountName?: string;
    readonly managedBy?: string;
  };
  readonly status?: RunStatus & {
    readonly taskSpec?: { readonly params?: readonly ParamSpec[]; readonly steps?: readonly Step[] };
    readonly steps?: readonly StepState[];
    readonly sidecars?: readonly { readonly imageID?: string }[];
  };
}

export interface PipelineTask {
  readonly name?: string;
  readonly taskRef?: Reference;
  readonly runAfter?: readonly string[];
  readonly params?: readonly Param[];
  readonly when?: readonly { readonly input?: string; readonly values?: readonly string[]; readonly cel?: string }[];
  readonly matrix?: unknown;
}

/** As much of a PipelineRun as provenance is made of. */
export interface PipelineRun extends KubeObject {
  readonly spec?: {
    readonly params?: readonly Param[];
    readonly pipelineRef?: Reference;
    readonly taskRunTemplate?: { readonly serviceAccountName?: string };
    readonly managedBy?: string;
  };
  readonly status?: RunStatus & {
    readonly pipelineSpec?: {
      readonly params?: readonly ParamSpec[];
      readonly tasks?: readonly PipelineTask[];
      readonly finally?: readonly PipelineTask[];
    };
    readonly childReferences?: readonly { readonly kind?: string; readonly name?: string }[];
  };
}

const names = { group: 'tekton.dev', version: 'v1', scope: 'Namespaced' } as const;

export const TaskRun: Kind<TaskRun> = {
  ...dynamicKind<TaskRun>({ ...names, kind: 'TaskRun', plural: 'taskruns' }),
  subresources: { status: {} },
};

export const PipelineRun: Kind<PipelineRun> = {
  ...dynamicKind<PipelineRun>({ ...names, kind: 'PipelineRun', plural: 'pipelineruns' }),
  subresources: { status: {} },
};

/** A run whose provenance is recorded, with the TaskRuns of a PipelineRun. */
export type SignedRun =
  | { readonly kind: 'TaskRun'; readonly run: TaskRun }
  | { readonly kind: 'PipelineRun'; readonly run: PipelineRun; readonly taskRuns: readonly TaskRun[] };

/** A run has ended when its condition Succeeded is no longer Unknown. */
export function isCompleted({ status }: TaskRun | PipelineRun): boolean {
  const succeeded = status?.conditions?.find(({ type }) => type === 'Succeeded');
  return succeeded !== undefined && succeeded.status !== 'Unknown';
}

/** The key of a run, also of one that was read as metadata alone. */
export function keyOfMetadata({ name = '', namespace = '' }: Pick<ObjectMeta, 'name' | 'namespace'>): ObjectKey {
  return { name, namespace };
}

const pipelineTaskLabel = 'tekton.dev/pipelineTask';

/** The TaskRuns of a task of the pipeline, in the order of the child references. */
export function taskRunsOf(taskRuns: readonly TaskRun[], { name }: PipelineTask): readonly TaskRun[] {
  return taskRuns.filter(({ metadata }) => metadata.labels?.[pipelineTaskLabel] === name);
}

/** All tasks of a PipelineRun, the final ones last. */
export function pipelineTasksOf({ status }: PipelineRun): readonly PipelineTask[] {
  const { tasks = [], finally: final = [] } = status?.pipelineSpec ?? {};
  return [...tasks, ...final];
}

/** The TaskRuns that completed, in the order of the pipeline's tasks. */
export function executedTaskRuns(run: PipelineRun, taskRuns: readonly TaskRun[]): readonly TaskRun[] {
  return pipelineTasksOf(run)
    .flatMap((task) => taskRunsOf(taskRuns, task))
    .filter(({ status }) => status?.completionTime !== undefined);
}
