import type { PipelineSpec, PipelineTask } from '../../../kinds/pipeline-spec.ts';
import { mergedSteps } from '../../../rules/validation/merged-steps.ts';

/**
 * A Pipeline whose steps have what their templates say: upstream puts that in when it validates, and so the status of a run and its
 * TaskRuns show it. The templates stay; to merge once more changes nothing.
 */
export function withStepTemplates(spec: PipelineSpec): PipelineSpec {
  const { tasks = [], finally: final = [] } = spec;
  if (![...tasks, ...final].some(hasTemplates)) return spec;
  return {
    ...spec,
    ...(spec.tasks ? { tasks: tasks.map(merged) } : {}),
    ...(spec.finally ? { finally: final.map(merged) } : {}),
  };
}

function hasTemplates({ taskSpec, pipelineSpec }: PipelineTask): boolean {
  if (taskSpec?.stepTemplate) return true;
  return [...(pipelineSpec?.tasks ?? []), ...(pipelineSpec?.finally ?? [])].some(hasTemplates);
}

function merged(task: PipelineTask): PipelineTask {
  const { taskSpec, pipelineSpec } = task;
  return {
    ...task,
    ...(taskSpec?.stepTemplate ? { taskSpec: { ...taskSpec, steps: mergedSteps(taskSpec, { version: 'v1' }) } } : {}),
    ...(pipelineSpec ? { pipelineSpec: withStepTemplates(pipelineSpec) } : {}),
  };
}
