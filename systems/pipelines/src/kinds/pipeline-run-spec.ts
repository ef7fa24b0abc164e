import { go, knativeStatusFields, type Struct, type StructValue } from '@tektite/schema/struct';
import { CustomRunStatus } from './custom-run-spec.ts';
import { Params, ParamValue } from './param.ts';
import { PipelineResourceBinding } from './pipeline-resource.ts';
import { PipelineSpec, PipelineTaskMetadata, typeMetaFields } from './pipeline-spec.ts';
import { PodTemplate } from './pod-template.ts';
import { PipelineRef } from './resolver-reference.ts';
import { Provenance } from './run-status.ts';
import { stepSpecsFields, TaskRunStatus } from './task-run-spec.ts';
import { WhenExpression } from './when-expression.ts';
import { WorkspaceBinding } from './workspace.ts';

const duration = go.pointer(go.duration());
const time = go.pointer(go.time());
const podTemplate = go.pointer(PodTemplate);

const timeoutFields = { pipeline: duration, tasks: duration, finally: duration };
/** How long the parts of a run may take, in Go's notation; `0s` is no limit. */
export interface PipelineTimeouts extends StructValue<typeof timeoutFields> {}
const PipelineTimeouts: Struct<PipelineTimeouts> = go.struct('TimeoutFields', timeoutFields);

const templateFields = { podTemplate, serviceAccountName: go.string() };
/** The settings of all TaskRuns of the run. */
export interface PipelineTaskRunTemplate extends StructValue<typeof templateFields> {}
const PipelineTaskRunTemplate: Struct<PipelineTaskRunTemplate> = go.struct('PipelineTaskRunTemplate', templateFields);

const taskRunSpecFields = {
  pipelineTaskName: go.string(),
  serviceAccountName: go.string().only('v1'),
  taskServiceAccountName: go.string().legacy('v1beta1'),
  podTemplate: podTemplate.only('v1'),
  taskPodTemplate: podTemplate.legacy('v1beta1'),
  ...stepSpecsFields,
  metadata: go.pointer(PipelineTaskMetadata),
  computeResources: go.pointer(go.builtin('core/v1.ResourceRequirements')),
  timeout: duration,
};
/** The settings of the TaskRuns of one task. */
export interface PipelineTaskRunSpec extends StructValue<typeof taskRunSpecFields> {}
const PipelineTaskRunSpec: Struct<PipelineTaskRunSpec> = go.struct('PipelineTaskRunSpec', taskRunSpecFields);

type SpecStatus = 'Cancelled' | 'CancelledRunFinally' | 'StoppedRunFinally' | 'PipelineRunPending' | (string & {});

const pipelineRunSpecFields = {
  pipelineRef: go.pointer(PipelineRef),
  pipelineSpec: go.pointer(PipelineSpec).schemaless(),
  resources: go.list(PipelineResourceBinding).legacy('v1beta1'),
  params: Params,
  serviceAccountName: go.string().legacy('v1beta1'),
  /** Makes the run wait, stop or end. */
  status: go.string<SpecStatus>('PipelineRunSpecStatus'),
  timeouts: go.pointer(PipelineTimeouts),
  timeout: duration.legacy('v1beta1'),
  podTemplate: podTemplate.legacy('v1beta1'),
  taskRunTemplate: PipelineTaskRunTemplate.always().only('v1'),
  workspaces: go.list(WorkspaceBinding),
  taskRunSpecs: go.list(PipelineTaskRunSpec),
  /** The controller of this run: empty or `tekton.dev/pipeline` is ours. */
  managedBy: go.pointer(go.string()),
};
export interface PipelineRunSpec extends StructValue<typeof pipelineRunSpecFields> {}
export const PipelineRunSpec: Struct<PipelineRunSpec> = go.struct('PipelineRunSpec', pipelineRunSpecFields);

const resultFields = { name: go.string().required(), value: ParamValue.required().schemaless() };
export interface PipelineRunResult extends StructValue<typeof resultFields> {}
const PipelineRunResult: Struct<PipelineRunResult> = go.struct('PipelineRunResult', resultFields);

const skippedTaskFields = {
  name: go.string().required(),
  reason: go.string('SkippingReason').required(),
  whenExpressions: go.list(WhenExpression),
};
export interface SkippedTask extends StructValue<typeof skippedTaskFields> {}
const SkippedTask: Struct<SkippedTask> = go.struct('SkippedTask', skippedTaskFields);

const childFields = {
  ...typeMetaFields,
  name: go.string().validated(),
  displayName: go.string(),
  pipelineTaskName: go.string(),
  whenExpressions: go.list(WhenExpression),
};
/** A TaskRun, CustomRun or PipelineRun that the run created. */
export interface ChildReference extends StructValue<typeof childFields> {}
const ChildReference: Struct<ChildReference> = go.struct('ChildStatusReference', childFields);

/** The status of a child as v1beta1 once copied it. */
const childStatus = <T>(name: string, status: Struct<T>) =>
  go.map(
    go.pointer(
      go.struct(name, {
        pipelineTaskName: go.string(),
        status: go.pointer(status),
        whenExpressions: go.list(WhenExpression),
      }),
    ),
  );

const pipelineRunStatusFields = {
  ...knativeStatusFields,
  ...go.embed('PipelineRunStatusFields', {
    startTime: time,
    completionTime: time,
    taskRuns: childStatus('PipelineRunTaskRunStatus', TaskRunStatus).legacy('v1beta1'),
    runs: childStatus('PipelineRunRunStatus', CustomRunStatus).legacy('v1beta1'),
    results: go.list(PipelineRunResult).only('v1'),
    pipelineResults: go.list(PipelineRunResult).legacy('v1beta1'),
    pipelineSpec: go.pointer(PipelineSpec).schemaless(),
    skippedTasks: go.list(SkippedTask),
    childReferences: go.list(ChildReference),
    finallyStartTime: time,
    provenance: go.pointer(Provenance),
    spanContext: go.map(go.string()),
  }),
};
export interface PipelineRunStatus extends StructValue<typeof pipelineRunStatusFields> {}
export const PipelineRunStatus: Struct<PipelineRunStatus> = go.struct('PipelineRunStatus', pipelineRunStatusFields);
