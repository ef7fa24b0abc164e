import { go, type Struct, type StructValue } from '@tektite/schema/struct';
import { ParamSpecs, Params, type ParamType, ParamValue, PropertySpec } from './param.ts';
import { StepActionRef } from './resolver-reference.ts';
import { WhenExpressions } from './when-expression.ts';
import { WorkspaceDeclaration, WorkspaceUsage } from './workspace.ts';

const stepResultFields = {
  name: go.string().required(),
  type: go.string<ParamType>('ResultsType'),
  properties: go.map(PropertySpec).remembersEmpty(),
  description: go.string(),
};
export interface StepResult extends StructValue<typeof stepResultFields> {}
export const StepResult: Struct<StepResult> = go.struct('StepResult', stepResultFields);

const taskResultFields = {
  ...stepResultFields,
  /** The result of a step that it comes from, if it does not come from the file of its name. */
  value: go.pointer(ParamValue).schemaless(),
};
export interface TaskResult extends StructValue<typeof taskResultFields> {}
const TaskResult: Struct<TaskResult> = go.struct('TaskResult', taskResultFields);

const probe = go.pointer(go.builtin('core/v1.Probe'));
const resources = go.builtin('core/v1.ResourceRequirements');

/** Fields of a container, in upstream's order, which is the order of what is signed. */
const containerFields = {
  image: go.string(),
  command: go.list(go.string()),
  args: go.list(go.string()),
  workingDir: go.string(),
  ports: go.list(go.builtin('core/v1.ContainerPort')).keyedBy('containerPort', 'protocol'),
  envFrom: go.list(go.builtin('core/v1.EnvFromSource')),
  env: go.list(go.builtin('core/v1.EnvVar')),
  resources: resources.legacy('v1beta1'),
  computeResources: resources.only('v1'),
  volumeMounts: go.list(go.builtin('core/v1.VolumeMount')),
  volumeDevices: go.list(go.builtin('core/v1.VolumeDevice')),
  livenessProbe: probe,
  readinessProbe: probe,
  startupProbe: probe,
  lifecycle: go.pointer(go.builtin('core/v1.Lifecycle')),
  terminationMessagePath: go.string(),
  terminationMessagePolicy: go.string('v1.TerminationMessagePolicy'),
  imagePullPolicy: go.string('v1.PullPolicy'),
  securityContext: go.pointer(go.builtin('core/v1.SecurityContext')),
  stdin: go.bool(),
  stdinOnce: go.bool(),
  tty: go.bool(),
};

/** Those that steps have. v1beta1 keeps the others and ignores them. */
const stepContainerFields = {
  ...containerFields,
  ports: containerFields.ports.legacy('v1beta1'),
  livenessProbe: probe.legacy('v1beta1'),
  readinessProbe: probe.legacy('v1beta1'),
  startupProbe: probe.legacy('v1beta1'),
  lifecycle: containerFields.lifecycle.legacy('v1beta1'),
  terminationMessagePath: containerFields.terminationMessagePath.legacy('v1beta1'),
  terminationMessagePolicy: containerFields.terminationMessagePolicy.legacy('v1beta1'),
  stdin: go.bool().legacy('v1beta1'),
  stdinOnce: go.bool().legacy('v1beta1'),
  tty: go.bool().legacy('v1beta1'),
};

const stepTemplateFields = { name: go.string().legacy('v1beta1'), ...stepContainerFields };
/** The settings of all steps, which a step can replace. */
export interface StepTemplate extends StructValue<typeof stepTemplateFields> {}
export const StepTemplate: Struct<StepTemplate> = go.struct('StepTemplate', stepTemplateFields);

/** A file that gets what the step prints, besides the log. */
const outputFields = { path: go.string() };
export interface StepOutputConfig extends StructValue<typeof outputFields> {}
const StepOutputConfig: Struct<StepOutputConfig> = go.struct('StepOutputConfig', outputFields);

const stepFields = {
  name: go.string().required().defaulted(),
  displayName: go.string(),
  ...stepContainerFields,
  script: go.string(),
  timeout: go.pointer(go.duration()),
  workspaces: go.list(WorkspaceUsage),
  onError: go.string<'continue' | 'stopAndFail' | (string & {})>('OnErrorType'),
  stdoutConfig: go.pointer(StepOutputConfig),
  stderrConfig: go.pointer(StepOutputConfig),
  ref: go.pointer(StepActionRef),
  params: Params,
  results: go.list(StepResult.pinned('v1')),
  when: WhenExpressions,
};
export interface Step extends StructValue<typeof stepFields> {}
export const Step: Struct<Step> = go.struct('Step', stepFields);

const sidecarFields = {
  name: go.string().required(),
  ...containerFields,
  script: go.string(),
  workspaces: go.list(WorkspaceUsage),
  restartPolicy: go.pointer(go.string('v1.ContainerRestartPolicy')),
};
export interface Sidecar extends StructValue<typeof sidecarFields> {}
const Sidecar: Struct<Sidecar> = go.struct('Sidecar', sidecarFields);

const resourceFields = go.embed('ResourceDeclaration', {
  name: go.string().required(),
  type: go.string().required(),
  description: go.string(),
  targetPath: go.string(),
  optional: go.bool(),
});
const TaskResources = go.struct('TaskResources', {
  inputs: go.list(go.struct('TaskResource', resourceFields)),
  outputs: go.list(go.struct('TaskResource', resourceFields)),
});

export const taskSpecFields = {
  resources: go.pointer(TaskResources).legacy('v1beta1'),
  params: ParamSpecs,
  displayName: go.string(),
  description: go.string(),
  steps: go.list(Step),
  volumes: go.list(go.builtin('core/v1.Volume')).named('Volumes').schemaless(),
  stepTemplate: go.pointer(StepTemplate),
  sidecars: go.list(Sidecar),
  workspaces: go.list(WorkspaceDeclaration),
  results: go.list(TaskResult),
};
/** The definition of a Task: steps, one after the other, in one Pod. */
export interface TaskSpec extends StructValue<typeof taskSpecFields> {}
export const TaskSpec: Struct<TaskSpec> = go.struct('TaskSpec', taskSpecFields);
