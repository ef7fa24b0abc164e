import type { KubeObject } from '@tektite/meta';
import { defineKind, type JsonSchema, type Kind, s } from '@tektite/schema';
import { schemaOfStruct } from './schema-of-struct.ts';
import type { StepActionSpec } from './step-action-spec.ts';
import type { TaskRun as TaskRunObject } from './task-run.ts';
import type { TaskSpec } from './task-spec.ts';
import './v1-structs.ts';
import './v1beta1-structs.ts';

const group = 'tekton.dev';
const categories = ['tekton', 'tekton-pipelines'];

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

const field = (schema: JsonSchema) => s.raw<unknown>(schema).optional();

/** A kind that others refer to. It has no status, and upstream serves the subresource nevertheless. */
function definitionKind<T extends KubeObject>(kind: string, version: string): Kind<T> {
  const fields = { spec: field(schemaOfStruct(`tekton/${version}.${kind}Spec`)) };
  const defined = defineKind({ group, version, kind, categories, fields });
  return { ...defined, subresources: { status: {} } } as unknown as Kind<T>;
}

function taskRunKind<T extends KubeObject>(version: string): Kind<T> {
  return defineKind({
    group,
    version,
    kind: 'TaskRun',
    shortNames: ['tr', 'trs'],
    categories,
    columns: runColumns,
    fields: {
      spec: field(schemaOfStruct(`tekton/${version}.TaskRunSpec`)),
      status: field(schemaOfStruct(`tekton/${version}.TaskRunStatus`)),
    },
  }) as unknown as Kind<T>;
}

/** `tekton.dev/v1`: what is stored. */
export const Task = definitionKind<TaskObject>('Task', 'v1');
export const TaskV1beta1 = definitionKind<KubeObject>('Task', 'v1beta1');

export const TaskRun = taskRunKind<TaskRunObject>('v1');
export const TaskRunV1beta1 = taskRunKind<KubeObject>('v1beta1');

/** `tekton.dev/v1beta1`: what is stored. */
export const StepAction = definitionKind<StepActionObject>('StepAction', 'v1beta1');
export const StepActionV1alpha1 = definitionKind<StepActionObject>('StepAction', 'v1alpha1');
