import type { CustomRun } from '../../../kinds/custom-run.ts';
import type { Param } from '../../../kinds/param.ts';
import type { PipelineRun } from '../../../kinds/pipeline-run.ts';
import type { PipelineTaskRunSpec } from '../../../kinds/pipeline-run-spec.ts';
import type { TaskRun } from '../../../kinds/task-run.ts';
import { affinityAssistantAnnotation } from '../../../pod/affinity.ts';
import { mergePodTemplate } from '../../../pod/merge-pod-template.ts';
import { childAnnotations, childIdentity, childLabels, taskRunTexts } from './child-metadata.ts';
import { type ClaimNameOf, pipelineWorkspaces, taskWorkspaces } from './child-workspaces.ts';
import type { TaskState } from '../decide/task-state.ts';
import { formatTimeout, type Timeouts } from '../decide/timeouts.ts';

/** The inputs of children, besides their task. */
export interface ChildSettings {
  readonly timeouts: Timeouts;
  readonly defaultTimeoutMinutes: number;
  readonly claimNameOf: ClaimNameOf;
  /** The affinity assistant to be near, if there is one for that workspace of the run. */
  readonly assistantOf: (claimWorkspace: string | undefined) => string | undefined;
}

/** The TaskRun of a task; `params`: those of its place in a matrix. */
export function taskRunFor(
  name: string,
  params: readonly Param[],
  state: TaskState,
  run: PipelineRun,
  settings: ChildSettings,
): TaskRun {
  const { task, resolved } = state;
  const own = taskRunSpecOf(run, task.name);
  const { bindings, claimWorkspace } = taskWorkspaces(task, resolved.taskSpec, run, settings.claimNameOf);
  const all = [...params, ...(task.params ?? [])];
  const timeout = own.timeout ?? task.timeout ?? timeoutFor(state, settings);
  const { labels, annotations } = taskRunTexts(run, state, own.metadata);
  const assistant = settings.assistantOf(claimWorkspace);
  const what = resolved.name && task.taskRef ? { taskRef: task.taskRef } : { taskSpec: resolved.taskSpec ?? {} };
  return {
    apiVersion: 'tekton.dev/v1',
    kind: 'TaskRun',
    metadata: {
      ...childIdentity(run, name),
      labels,
      annotations: {
        ...annotations,
        ...(state.ignoresFailure ? { 'pipeline.tekton.dev/pipeline-task-on-error': 'continue' } : {}),
        ...(assistant ? { [affinityAssistantAnnotation]: assistant } : {}),
      },
    },
    spec: {
      ...(all.length > 0 ? { params: all } : {}),
      ...(own.serviceAccountName ? { serviceAccountName: own.serviceAccountName } : {}),
      ...what,
      ...(task.retries ? { retries: task.retries } : {}),
      ...(timeout === undefined ? {} : { timeout }),
      ...(own.podTemplate ? { podTemplate: own.podTemplate } : {}),
      ...(bindings.length > 0 ? { workspaces: bindings } : {}),
      ...(own.stepSpecs ? { stepSpecs: own.stepSpecs } : {}),
      ...(own.sidecarSpecs ? { sidecarSpecs: own.sidecarSpecs } : {}),
      ...(own.computeResources ? { computeResources: own.computeResources } : {}),
    },
  };
}

/** The CustomRun of a custom task. */
export function customRunFor(
  name: string,
  params: readonly Param[],
  state: TaskState,
  run: PipelineRun,
  settings: ChildSettings,
): CustomRun {
  const { task } = state;
  const { taskRef, taskSpec } = task;
  const own = taskRunSpecOf(run, task.name);
  const { bindings, claimWorkspace } = taskWorkspaces(task, undefined, run, settings.claimNameOf);
  const all = [...params, ...(task.params ?? [])];
  const timeout = own.timeout ?? task.timeout ?? timeoutFor(state, settings);
  const assistant = settings.assistantOf(claimWorkspace);
  const annotations = {
    ...childAnnotations(run),
    ...(assistant ? { [affinityAssistantAnnotation]: assistant } : {}),
  };
  return {
    apiVersion: 'tekton.dev/v1beta1',
    kind: 'CustomRun',
    metadata: { ...childIdentity(run, name), labels: childLabels(run, state), annotations },
    spec: {
      ...(taskRef ? { customRef: taskRef } : {}),
      ...(taskSpec
        ? {
            customSpec: {
              ...(taskSpec.apiVersion ? { apiVersion: taskSpec.apiVersion } : {}),
              ...(taskSpec.kind ? { kind: taskSpec.kind } : {}),
              metadata: taskSpec.metadata ?? {},
              ...(taskSpec.spec ? { spec: taskSpec.spec } : {}),
            },
          }
        : {}),
      ...(all.length > 0 ? { params: all } : {}),
      ...(task.retries ? { retries: task.retries } : {}),
      ...(own.serviceAccountName ? { serviceAccountName: own.serviceAccountName } : {}),
      ...(timeout === undefined ? {} : { timeout }),
      ...(bindings.length > 0 ? { workspaces: bindings } : {}),
    },
  };
}

/** The PipelineRun of a Pipeline within a Pipeline. It has separate timeouts. */
export function childPipelineRunFor(
  name: string,
  state: TaskState,
  run: PipelineRun,
  settings: ChildSettings,
): PipelineRun {
  const { task, resolved } = state;
  const workspaces = pipelineWorkspaces(task, run, settings.claimNameOf);
  const labels = {
    ...childLabels(run, state),
    ...(resolved.name ? { 'tekton.dev/pipeline': resolved.name } : {}),
  };
  return {
    apiVersion: 'tekton.dev/v1',
    kind: 'PipelineRun',
    metadata: { ...childIdentity(run, name), labels, annotations: childAnnotations(run) },
    spec: {
      ...(task.pipelineRef ? { pipelineRef: task.pipelineRef } : { pipelineSpec: resolved.pipelineSpec ?? {} }),
      ...(task.params ? { params: task.params } : {}),
      ...(run.spec.taskRunTemplate ? { taskRunTemplate: run.spec.taskRunTemplate } : {}),
      ...(workspaces.length > 0 ? { workspaces } : {}),
    },
  };
}

/** The settings of the run for the TaskRuns of a task: of this one, and of all. The last entry for this one counts. */
function taskRunSpecOf({ spec }: PipelineRun, task: string): PipelineTaskRunSpec {
  const base = spec.taskRunTemplate ?? {};
  const own = spec.taskRunSpecs?.findLast(({ pipelineTaskName }) => pipelineTaskName === task);
  if (!own) return base;
  const podTemplate = mergePodTemplate(own.podTemplate, base.podTemplate);
  const serviceAccountName = own.serviceAccountName || base.serviceAccountName;
  return {
    ...own,
    ...(podTemplate ? { podTemplate } : {}),
    ...(serviceAccountName ? { serviceAccountName } : {}),
  };
}

/** A task may take as long as all of them together, where that is more than it would have by default. */
function timeoutFor({ isFinal }: TaskState, { timeouts, defaultTimeoutMinutes }: ChildSettings): string | undefined {
  const limit = isFinal ? timeouts.finally : timeouts.tasks;
  if (limit === undefined) return undefined;
  return limit === 0 || limit > defaultTimeoutMinutes * 60_000 ? formatTimeout(limit) : undefined;
}
