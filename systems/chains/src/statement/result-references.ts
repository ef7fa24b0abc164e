import type { PipelineTask } from '../kinds/runs.ts';

const reference = /\$\(tasks\.([^.()[\]]+)\.results\b[^()]*\)/g;

/** The names of the tasks whose results a task uses, in the order of their first use. */
export function resultReferences({ params, matrix, when }: PipelineTask): readonly string[] {
  const texts = JSON.stringify([params?.map(({ value }) => value), matrix, when]);
  return [...new Set(Array.from(texts.matchAll(reference), ([, name = '']) => name))];
}
