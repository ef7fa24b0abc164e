import { go, knativeStatusFields, type Struct, type StructValue } from '@tektite/schema/struct';
import { Params } from './param.ts';
import { PipelineResourceBinding } from './pipeline-resource.ts';
import { PodTemplate } from './pod-template.ts';
import { TaskRef } from './resolver-reference.ts';
import { Artifact, Artifacts, Provenance, RunResult } from './run-status.ts';
import { TaskSpec } from './task-spec.ts';
import { WorkspaceBinding } from './workspace.ts';

const debugFields = {
  breakpoints: go.pointer(go.struct('TaskBreakpoints', { onFailure: go.string(), beforeSteps: go.list(go.string()) })),
};
export interface TaskRunDebug extends StructValue<typeof debugFields> {}
const TaskRunDebug: Struct<TaskRunDebug> = go.struct('TaskRunDebug', debugFields);

const resources = go.builtin('core/v1.ResourceRequirements');
const stepSpecFields = { name: go.string().required(), computeResources: resources.required() };
/** The settings of a run for one step or sidecar. */
export interface TaskRunStepSpec extends StructValue<typeof stepSpecFields> {}
const TaskRunStepSpec: Struct<TaskRunStepSpec> = go.struct('TaskRunStepSpec', stepSpecFields);
const TaskRunSidecarSpec: Struct<TaskRunStepSpec> = go.struct('TaskRunSidecarSpec', stepSpecFields);

const overrideFields = { name: go.string().required(), resources: resources.required() };

/** The settings of a run for single steps and sidecars, under the names that they have in each version. */
export const stepSpecsFields = {
  stepSpecs: go.list(TaskRunStepSpec).only('v1'),
  stepOverrides: go.list(go.struct('TaskRunStepOverride', overrideFields)).legacy('v1beta1'),
  sidecarSpecs: go.list(TaskRunSidecarSpec).only('v1'),
  sidecarOverrides: go.list(go.struct('TaskRunSidecarOverride', overrideFields)).legacy('v1beta1'),
};

const taskResourceBindings = go.list(
  go.struct('TaskResourceBinding', {
    ...go.embed('PipelineResourceBinding', PipelineResourceBinding.fields),
    paths: go.list(go.string()),
  }),
);
const TaskRunResources = go.struct('TaskRunResources', { inputs: taskResourceBindings, outputs: taskResourceBindings });

const taskRunSpecFields = {
  debug: go.pointer(TaskRunDebug),
  params: Params,
  resources: go.pointer(TaskRunResources).legacy('v1beta1'),
  serviceAccountName: go.string().always(),
  taskRef: go.pointer(TaskRef),
  taskSpec: go.pointer(TaskSpec).schemaless(),
  status: go.string<'TaskRunCancelled' | 'TaskRunPending' | (string & {})>('TaskRunSpecStatus'),
  statusMessage: go.string('TaskRunSpecStatusMessage'),
  retries: go.int(),
  timeout: go.pointer(go.duration()),
  podTemplate: go.pointer(PodTemplate),
  workspaces: go.list(WorkspaceBinding),
  ...stepSpecsFields,
  computeResources: go.pointer(resources),
  /** The controller of this run: empty or `tekton.dev/pipeline` is ours. */
  managedBy: go.pointer(go.string()),
};
export interface TaskRunSpec extends StructValue<typeof taskRunSpecFields> {}
export const TaskRunSpec: Struct<TaskRunSpec> = go.struct('TaskRunSpec', taskRunSpecFields);

const sidecarStateFields = {
  ...go.embed('ContainerState', {
    waiting: go.pointer(go.builtin('core/v1.ContainerStateWaiting')),
    running: go.pointer(go.builtin('core/v1.ContainerStateRunning')),
    terminated: go.pointer(go.builtin('core/v1.ContainerStateTerminated')),
  }),
  name: go.string(),
  container: go.string(),
  imageID: go.string(),
};
export interface SidecarState extends StructValue<typeof sidecarStateFields> {}
const SidecarState: Struct<SidecarState> = go.struct('SidecarState', sidecarStateFields);

const stepStateFields = {
  ...sidecarStateFields,
  results: go.list(RunResult),
  provenance: go.pointer(Provenance),
  terminationReason: go.string().only('v1'),
  inputs: go.list(Artifact),
  outputs: go.list(Artifact),
};
export interface StepState extends StructValue<typeof stepStateFields> {}
const StepState: Struct<StepState> = go.struct('StepState', stepStateFields);

const CloudEventDeliveryState = go.struct('CloudEventDeliveryState', {
  condition: go.string(),
  sentAt: go.pointer(go.time()),
  message: go.string().required(),
  retryCount: go.int32().required(),
});
const CloudEventDelivery = go.struct('CloudEventDelivery', { target: go.string(), status: CloudEventDeliveryState });
const ResourceResult = go.struct('result.RunResult', {
  key: go.string().required(),
  value: go.string().required(),
  resourceName: go.string(),
  type: go.int('result.ResultType'),
});

const taskRunStatusFields = {
  ...knativeStatusFields,
  ...go.embed('TaskRunStatusFields', {
    podName: go.string().required(),
    startTime: go.pointer(go.time()),
    completionTime: go.pointer(go.time()),
    steps: go.list(StepState),
    cloudEvents: go.list(CloudEventDelivery).legacy('v1beta1'),
    retriesStatus: go
      .list(go.lazy<TaskRunStatus>(() => TaskRunStatus))
      .named('RetriesStatus')
      .schemaless(),
    resourcesResult: go.list(ResourceResult).legacy('v1beta1'),
    results: go.list(RunResult).only('v1'),
    taskResults: go.list(RunResult).legacy('v1beta1'),
    artifacts: go.pointer(Artifacts).only('v1'),
    sidecars: go.list(SidecarState),
    taskSpec: go.pointer(TaskSpec).schemaless('v1beta1'),
    provenance: go.pointer(Provenance),
    spanContext: go.map(go.string()),
  }),
};
export interface TaskRunStatus extends StructValue<typeof taskRunStatusFields> {}
export const TaskRunStatus: Struct<TaskRunStatus> = go.struct('TaskRunStatus', taskRunStatusFields);
