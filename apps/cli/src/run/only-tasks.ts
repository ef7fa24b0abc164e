import type { KubeObject } from '@tektite/meta';
import type { PipelineTask } from '@tektite/pipelines';
import { badInput } from '../input/bad-input.ts';
import { suggestion } from './nearest-name.ts';
import type { SourceDocument } from '../input/read-documents.ts';
import type { RunTarget } from './run-target.ts';

/**
 * A run of some tasks of a Pipeline alone. Refuses tasks that use results of tasks that are left out: these have no value.
 */
export function onlyTasks(
  run: SourceDocument,
  target: RunTarget | undefined,
  names: readonly string[],
): { readonly run: SourceDocument; readonly target: RunTarget } {
  if (target?.kind !== 'Pipeline')
    throw badInput('--only: what is to be run has no tasks; it is for Pipelines that are in a file');
  const all = [...(target.spec.tasks ?? []), ...(target.spec.finally ?? [])];
  const known = all.map(({ name }) => name);
  for (const name of names)
    if (!known.includes(name))
      throw badInput(`--only ${name}: ${target.title} has no such task${suggestion(name, known)}`);
  const tasks = all.filter(({ name }) => names.includes(name)).map((task) => withoutOthers(task, names));
  for (const task of tasks) checkResults(task, names);
  // Results of the Pipeline may be those of tasks that do not run.
  const { finally: _, ...rest } = target.spec as { readonly finally?: unknown; readonly results?: unknown };
  const { results: __, ...spec } = { ...rest, tasks } as { readonly results?: unknown; readonly tasks: PipelineTask[] };
  const { spec: runSpec = {} } = run.object as KubeObject & { readonly spec?: Readonly<Record<string, unknown>> };
  const { pipelineRef: ___, ...own } = runSpec;
  const object = { ...run.object, spec: { ...own, pipelineSpec: spec } } as KubeObject;
  return { run: { ...run, object }, target: { ...target, spec } };
}

function withoutOthers(task: PipelineTask, names: readonly string[]): PipelineTask {
  const { runAfter = [], ...rest } = task;
  const kept = runAfter.filter((name) => names.includes(name));
  return kept.length > 0 ? { ...rest, runAfter: kept } : rest;
}

function checkResults(task: PipelineTask, names: readonly string[]): void {
  const text = JSON.stringify(task);
  for (const [variable, name = ''] of text.matchAll(/\$\(tasks\.([\w-]+)\.[^)]*\)/g))
    if (!names.includes(name)) throw badInput(`--only ${task.name}: it uses ${variable}; add --only ${name}`);
}
