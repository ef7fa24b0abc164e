import type { KubeObject } from '@tektite/meta';
import { defineKind, type Kind, s } from '@tektite/schema';
import type { StepActionSpec } from './step-action-spec.ts';
import type { TaskRun as TaskRunObject } from './task-run.ts';
import type { TaskRunSpec, TaskRunStatus } from './task-run-spec.ts';
import type { TaskSpec } from './task-spec.ts';

const categories = ['tekton', 'tekton-pipelines'];
/** Not told in detail yet: what users write is checked by the webhooks. */
const anything = <T>() => s.raw<T>({ type: 'object', 'x-kubernetes-preserve-unknown-fields': true }).optional();

const succeeded = (field: string) => `.status.conditions[?(@.type=="Succeeded")].${field}`;
const runColumns = [
  { name: 'Succeeded', type: 'string', jsonPath: succeeded('status') },
  { name: 'Reason', type: 'string', jsonPath: succeeded('reason') },
  { name: 'StartTime', type: 'date', jsonPath: '.status.startTime' },
  { name: 'CompletionTime', type: 'date', jsonPath: '.status.completionTime' },
] as const;

export interface TaskObject extends KubeObject {
  readonly spec: TaskSpec;
}

export interface StepActionObject extends KubeObject {
  readonly spec: StepActionSpec;
}

export const Task = defineKind({
  group: 'tekton.dev',
  version: 'v1',
  kind: 'Task',
  categories,
  fields: { spec: anything<TaskSpec>() },
}) as unknown as Kind<TaskObject>;

export const TaskRun = defineKind({
  group: 'tekton.dev',
  version: 'v1',
  kind: 'TaskRun',
  shortNames: ['tr', 'trs'],
  categories,
  columns: runColumns,
  fields: { spec: anything<TaskRunSpec>(), status: anything<TaskRunStatus>() },
}) as unknown as Kind<TaskRunObject>;

export const StepAction = defineKind({
  group: 'tekton.dev',
  version: 'v1beta1',
  kind: 'StepAction',
  categories,
  fields: { spec: anything<StepActionSpec>() },
}) as unknown as Kind<StepActionObject>;
