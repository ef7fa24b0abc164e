import type { Annotations } from './annotations.ts';
import { change, changeEach, type Json, rename, without } from './json.ts';
import { keepDeprecations, restoreDeprecations } from './task-deprecations.ts';

export const resourcesKey = 'tekton.dev/v1beta1Resources';

/** A Task's spec of v1beta1 in v1. What has no field there any more is kept in annotations, but for `resources`. There it is found by a name. */
export function taskSpecToV1(spec: Json, annotations: Annotations, name: string = annotations.name): Json {
  keepDeprecations(spec, annotations, name);
  const renamed = (container: Json) => rename(container, 'resources', 'computeResources');
  return typedParams(mapContainers(without(spec, 'resources'), renamed));
}

/** And back. */
export function taskSpecFromV1(spec: Json, annotations: Annotations, name: string = annotations.name): Json {
  const renamed = (container: Json) => rename(container, 'computeResources', 'resources');
  return restoreDeprecations(typedParams(mapContainers(spec, renamed)), annotations, name);
}

function mapContainers(spec: Json, apply: (container: Json) => Json): Json {
  const steps = changeEach(spec, 'steps', apply);
  return change(changeEach(steps, 'sidecars', apply), 'stepTemplate', apply);
}

/** Whatever has no type becomes a text here, even if its default is a list: upstream's way. */
export function typedParams(spec: Json): Json {
  return changeEach(spec, 'params', (param) => ({ ...param, type: param.type ?? 'string' }));
}

export function taskToV1(task: Json, annotations: Annotations): Json {
  const spec = (task.spec ?? {}) as Json;
  annotations.put(resourcesKey, spec.resources);
  return { ...task, spec: taskSpecToV1(spec, annotations) };
}

export function taskFromV1(task: Json, annotations: Annotations): Json {
  const resources = takeResources(annotations, resourcesKey);
  const spec = taskSpecFromV1((task.spec ?? {}) as Json, annotations);
  return { ...task, spec: { ...spec, ...resources } };
}

/** The kept `resources`, unless they are empty. */
export function takeResources(annotations: Annotations, key: string, goType = 'v1beta1.TaskResources'): Json {
  const resources = annotations.take(key, goType) as Json | undefined;
  return resources?.inputs || resources?.outputs ? { resources } : {};
}
