import type { Annotations } from './annotations.ts';
import { resourcesKey, taskSpecFromV1, taskSpecToV1, typedParams } from './convert-task.ts';
import { change, changeEach, type Json, without } from './json.ts';

type ConvertTask = typeof taskSpecToV1;

/** A Pipeline of v1beta1 in v1. Pipelines within it get lost, as they do upstream. */
export function pipelineToV1(pipeline: Json, annotations: Annotations): Json {
  const spec = (pipeline.spec ?? {}) as Json;
  annotations.put(resourcesKey, spec.resources);
  return { ...pipeline, spec: pipelineSpecToV1(spec, annotations) };
}

/** And back. */
export function pipelineFromV1(pipeline: Json, annotations: Annotations): Json {
  const resources = takeResourceList(annotations, '[]v1beta1.PipelineDeclaredResource');
  return { ...pipeline, spec: { ...pipelineSpecFromV1((pipeline.spec ?? {}) as Json, annotations), ...resources } };
}

/** The kept `resources`, unless they are empty. */
export function takeResourceList(annotations: Annotations, goType: string): Json {
  const resources = annotations.take(resourcesKey, goType) as readonly unknown[] | undefined;
  return resources?.length ? { resources } : {};
}

export function pipelineSpecToV1(spec: Json, annotations: Annotations): Json {
  return convertSpec(without(spec, 'resources'), annotations, taskSpecToV1);
}

export function pipelineSpecFromV1(spec: Json, annotations: Annotations): Json {
  return convertSpec(spec, annotations, taskSpecFromV1);
}

function convertSpec(spec: Json, annotations: Annotations, convertTask: ConvertTask): Json {
  const task = (each: Json) => convertPipelineTask(each, annotations, convertTask);
  return typedParams(changeEach(changeEach(spec, 'tasks', task), 'finally', task));
}

function convertPipelineTask(task: Json, annotations: Annotations, convertTask: ConvertTask): Json {
  const kept = without(task, 'resources', 'pipelineRef', 'pipelineSpec', ...(isMatrixed(task) ? [] : ['matrix']));
  const name = typeof task.name === 'string' ? task.name : '';
  return change(kept, 'taskSpec', (spec: Json) => convertTask(spec, annotations, name));
}

function isMatrixed({ matrix }: Json): boolean {
  const { params = [], include = [] } = (matrix ?? {}) as { params?: readonly unknown[]; include?: readonly unknown[] };
  return params.length > 0 || include.length > 0;
}
