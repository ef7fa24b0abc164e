import type { Annotations } from './annotations.ts';
import { resourcesKey, takeResources, taskSpecFromV1, taskSpecToV1 } from './convert-task.ts';
import { change, changeEach, type Json, rename, without } from './json.ts';

const statusResourcesKey = 'tekton.dev/v1beta1ResourcesStatus';
const resourcesResultKey = 'tekton.dev/v1beta1ResourcesResult';
const cloudEventsKey = 'tekton.dev/v1beta1CloudEvents';

/** A TaskRun of v1beta1 in v1. `managedBy` gets lost, as it does upstream. */
export function taskRunToV1(run: Json, annotations: Annotations): Json {
  const spec = (run.spec ?? {}) as Json;
  const status = (run.status ?? {}) as Json;
  annotations.put(resourcesKey, spec.resources);
  annotations.put(cloudEventsKey, status.cloudEvents);
  annotations.put(resourcesResultKey, status.resourcesResult);
  annotations.put(statusResourcesKey, (status.taskSpec as Json | undefined)?.resources);
  return { ...run, status: statusToV1(status, annotations), spec: specToV1(spec, annotations) };
}

/** And back. */
export function taskRunFromV1(run: Json, annotations: Annotations): Json {
  const resources = takeResources(annotations, resourcesKey, 'v1beta1.TaskRunResources');
  const kept = { cloudEvents: annotations.take(cloudEventsKey), resourcesResult: annotations.take(resourcesResultKey) };
  const status = statusFromV1((run.status ?? {}) as Json, annotations);
  const statusResources = takeResources(annotations, statusResourcesKey);
  const taskSpec = statusResources.resources ? { taskSpec: { ...(status.taskSpec as Json), ...statusResources } } : {};
  return {
    ...run,
    spec: { ...specFromV1((run.spec ?? {}) as Json, annotations), ...resources },
    status: { ...status, ...kept, ...taskSpec },
  };
}

function specToV1(spec: Json, annotations: Annotations): Json {
  const own = (override: Json) => rename(override, 'resources', 'computeResources');
  const renamed = rename(rename(spec, 'stepOverrides', 'stepSpecs'), 'sidecarOverrides', 'sidecarSpecs');
  const overridden = changeEach(changeEach(renamed, 'stepSpecs', own), 'sidecarSpecs', own);
  const task = change(overridden, 'taskSpec', (taskSpec: Json) => taskSpecToV1(taskSpec, annotations));
  return without(task, 'resources', 'managedBy');
}

function specFromV1(spec: Json, annotations: Annotations): Json {
  const old = (override: Json) => rename(override, 'computeResources', 'resources');
  const renamed = rename(rename(spec, 'stepSpecs', 'stepOverrides'), 'sidecarSpecs', 'sidecarOverrides');
  const overridden = changeEach(changeEach(renamed, 'stepOverrides', old), 'sidecarOverrides', old);
  const task = change(overridden, 'taskSpec', (taskSpec: Json) => taskSpecFromV1(taskSpec, annotations));
  return without(task, 'managedBy');
}

function statusToV1(status: Json, annotations: Annotations): Json {
  const renamed = rename(without(status, 'spanContext'), 'taskResults', 'results');
  const steps = changeEach(renamed, 'steps', (step) => withoutBuildOutput({ ...step, ...terminationReason(step) }));
  const retries = changeEach(steps, 'retriesStatus', (each) => statusToV1(each, annotations));
  return change(retries, 'taskSpec', (taskSpec: Json) => taskSpecToV1(taskSpec, annotations));
}

function statusFromV1(status: Json, annotations: Annotations): Json {
  const renamed = rename(without(status, 'spanContext', 'artifacts'), 'results', 'taskResults');
  const steps = changeEach(renamed, 'steps', withoutBuildOutput);
  const retries = changeEach(steps, 'retriesStatus', (each) => statusFromV1(each, annotations));
  return change(retries, 'taskSpec', (taskSpec: Json) => taskSpecFromV1(taskSpec, annotations));
}

function terminationReason({ terminated }: Json): Json {
  return terminated === undefined ? {} : { terminationReason: (terminated as Json).reason };
}

function withoutBuildOutput(step: Json): Json {
  const plain = (artifact: Json) => without(artifact, 'buildOutput');
  return changeEach(changeEach(step, 'inputs', plain), 'outputs', plain);
}
