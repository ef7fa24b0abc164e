import type { Annotations } from './annotations.ts';
import { pipelineSpecFromV1, pipelineSpecToV1, takeResourceList } from './convert-pipeline.ts';
import { resourcesKey } from './convert-task.ts';
import { change, changeEach, type Json, rename, without } from './json.ts';

/** A PipelineRun of v1beta1 in v1. `managedBy` gets lost, as it does upstream. */
export function pipelineRunToV1(run: Json, annotations: Annotations): Json {
  const spec = (run.spec ?? {}) as Json;
  annotations.put(resourcesKey, spec.resources);
  const status = statusToV1((run.status ?? {}) as Json, annotations);
  return { ...run, status, spec: specToV1(spec, annotations) };
}

/** And back. */
export function pipelineRunFromV1(run: Json, annotations: Annotations): Json {
  const resources = takeResourceList(annotations, '[]v1beta1.PipelineResourceBinding');
  const status = statusFromV1((run.status ?? {}) as Json, annotations);
  return { ...run, status, spec: { ...specFromV1((run.spec ?? {}) as Json, annotations), ...resources } };
}

function specToV1(spec: Json, annotations: Annotations): Json {
  const { timeout, podTemplate, serviceAccountName } = spec;
  const moved = without(spec, 'timeout', 'podTemplate', 'serviceAccountName', 'resources', 'managedBy');
  const pipeline = change(moved, 'pipelineSpec', (inner: Json) => pipelineSpecToV1(inner, annotations));
  return {
    ...changeEach(pipeline, 'taskRunSpecs', taskRunSpecToV1),
    // The one limit of old takes the place of all others.
    ...(timeout === undefined ? {} : { timeouts: { pipeline: timeout } }),
    taskRunTemplate: { podTemplate, serviceAccountName },
  };
}

function specFromV1(spec: Json, annotations: Annotations): Json {
  const { podTemplate, serviceAccountName } = (spec.taskRunTemplate ?? {}) as Json;
  const moved = without(spec, 'taskRunTemplate', 'managedBy');
  const pipeline = change(moved, 'pipelineSpec', (inner: Json) => pipelineSpecFromV1(inner, annotations));
  return { ...changeEach(pipeline, 'taskRunSpecs', taskRunSpecFromV1), podTemplate, serviceAccountName };
}

/** Old and new names of what is said of the runs of one task. */
const taskRunFields = [
  ['taskServiceAccountName', 'serviceAccountName'],
  ['taskPodTemplate', 'podTemplate'],
  ['stepOverrides', 'stepSpecs'],
  ['sidecarOverrides', 'sidecarSpecs'],
] as const;

function taskRunSpecToV1(spec: Json): Json {
  const own = (override: Json) => rename(override, 'resources', 'computeResources');
  const renamed = taskRunFields.reduce((each, [from, to]) => rename(each, from, to), spec);
  return changeEach(changeEach(renamed, 'stepSpecs', own), 'sidecarSpecs', own);
}

function taskRunSpecFromV1(spec: Json): Json {
  const old = (override: Json) => rename(override, 'computeResources', 'resources');
  const renamed = taskRunFields.reduce((each, [to, from]) => rename(each, from, to), spec);
  const overridden = changeEach(changeEach(renamed, 'stepOverrides', old), 'sidecarOverrides', old);
  // Upstream puts the labels where the annotations belong.
  return change(overridden, 'metadata', ({ labels }: Json) => ({ labels, annotations: labels }));
}

function statusToV1(status: Json, annotations: Annotations): Json {
  const renamed = rename(without(status, 'spanContext', 'taskRuns', 'runs'), 'pipelineResults', 'results');
  return change(renamed, 'pipelineSpec', (spec: Json) => pipelineSpecToV1(spec, annotations));
}

function statusFromV1(status: Json, annotations: Annotations): Json {
  const renamed = rename(without(status, 'spanContext'), 'results', 'pipelineResults');
  return change(renamed, 'pipelineSpec', (spec: Json) => pipelineSpecFromV1(spec, annotations));
}
