import type { KubeObject } from '@tektite/meta';
import type { ObjectOf } from '@tektite/schema';
import { CrdSchemas, defineStructKind, go, schemaWithout, type Struct, type StructKind } from '@tektite/schema/struct';
import { CustomRunSpec, CustomRunStatus } from './custom-run-spec.ts';
import { fieldDescription, kindDescriptions } from './descriptions/field-description.ts';
import { PipelineRunSpec, PipelineRunStatus } from './pipeline-run-spec.ts';
import { PipelineSpec } from './pipeline-spec.ts';
import { StepActionSpec } from './step-action-spec.ts';
import { TaskRunSpec, TaskRunStatus } from './task-run-spec.ts';
import { TaskSpec } from './task-spec.ts';

const shared = {
  group: 'tekton.dev',
  categories: ['tekton', 'tekton-pipelines'],
  schemas: new CrdSchemas(fieldDescription),
};

const succeeded = (field: string) => `.status.conditions[?(@.type=="Succeeded")].${field}`;
const runColumns = [
  { name: 'Succeeded', type: 'string', jsonPath: succeeded('status') },
  { name: 'Reason', type: 'string', jsonPath: succeeded('reason') },
  { name: 'StartTime', type: 'date', jsonPath: '.status.startTime' },
  { name: 'CompletionTime', type: 'date', jsonPath: '.status.completionTime' },
] as const;

function describedKind(kind: string): { readonly description?: string } {
  const description = kindDescriptions[kind];
  return description === undefined ? {} : { description };
}

/** A kind that others refer to. It has no status, and upstream serves the subresource nevertheless. */
function definitionKind<T>(struct: Struct<T>, version: string): StructKind<KubeObject & T> {
  return defineStructKind({
    ...shared,
    ...describedKind(struct.name),
    version,
    struct,
    descriptions: { spec: 'Definition.' },
    subresources: { status: {} },
  });
}

function runKind<T>(struct: Struct<T>, version: string, ...shortNames: readonly string[]): StructKind<KubeObject & T> {
  return defineStructKind({
    ...shared,
    ...describedKind(struct.name),
    version,
    struct,
    shortNames,
    columns: runColumns,
    descriptions: { spec: 'Desired state.', status: 'Observed state, written by the controller.' },
    // Upstream's definition of CustomRuns is older than the others: it does not know the newest kind of volumes.
    adaptSchema: (name, schema) =>
      struct.name === 'CustomRun' && name === 'spec'
        ? schemaWithout(schema, ['workspaces', 'projected', 'sources', 'podCertificate'])
        : schema,
  });
}

const metadata = go.objectMeta();
const taskStruct = go.struct('Task', { metadata, spec: TaskSpec.validated() });
const taskRunStruct = go.struct('TaskRun', { metadata, spec: TaskRunSpec.validated(), status: TaskRunStatus });
const stepActionStruct = go.struct('StepAction', { metadata, spec: StepActionSpec.validated() });
const pipelineStruct = go.struct('Pipeline', { metadata, spec: PipelineSpec.validated() });
const pipelineRunStruct = go.struct('PipelineRun', {
  metadata,
  spec: PipelineRunSpec.validated(),
  status: PipelineRunStatus,
});
const customRunStruct = go.struct('CustomRun', { metadata, spec: CustomRunSpec.validated(), status: CustomRunStatus });

/** `tekton.dev/v1`: the stored version. */
export const Task = definitionKind(taskStruct, 'v1');
export const TaskV1beta1: StructKind = definitionKind(taskStruct, 'v1beta1');

export const TaskRun = runKind(taskRunStruct, 'v1', 'tr', 'trs');
export const TaskRunV1beta1: StructKind = runKind(taskRunStruct, 'v1beta1', 'tr', 'trs');

/** `tekton.dev/v1beta1`: the stored version. */
export const StepAction = definitionKind(stepActionStruct, 'v1beta1');
export const StepActionV1alpha1 = definitionKind(stepActionStruct, 'v1alpha1');

/** `tekton.dev/v1`: the stored version. */
export const Pipeline = definitionKind(pipelineStruct, 'v1');
export const PipelineV1beta1: StructKind = definitionKind(pipelineStruct, 'v1beta1');

export const PipelineRun = runKind(pipelineRunStruct, 'v1', 'pr', 'prs');
export const PipelineRunV1beta1: StructKind = runKind(pipelineRunStruct, 'v1beta1', 'pr', 'prs');

/** There is only `tekton.dev/v1beta1`. */
export const CustomRun = runKind(customRunStruct, 'v1beta1');

export interface TaskObject extends ObjectOf<typeof Task> {}
export interface PipelineObject extends ObjectOf<typeof Pipeline> {}
export interface StepActionObject extends ObjectOf<typeof StepAction> {}
