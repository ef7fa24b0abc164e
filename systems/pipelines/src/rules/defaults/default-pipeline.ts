import type { CustomRun } from '../../kinds/custom-run.ts';
import type { PipelineSpec, PipelineTask } from '../../kinds/pipeline-spec.ts';
import { defaultParam } from './default-params.ts';
import { defaultTaskSpec } from './default-task.ts';
import { defaultTaskRef } from './default-task-run.ts';
import type { Rules } from '../rules.ts';

/** A Pipeline's spec with types for parameters and kinds for Tasks. Pipelines within are left alone. */
export function defaultPipelineSpec(spec: PipelineSpec, rules: Rules): PipelineSpec {
  const tasks = (list: readonly PipelineTask[]) => list.map((task) => defaultPipelineTask(task, rules));
  return {
    ...spec,
    ...(spec.params ? { params: spec.params.map(defaultParam) } : {}),
    ...(spec.tasks ? { tasks: tasks(spec.tasks) } : {}),
    ...(spec.finally ? { finally: tasks(spec.finally) } : {}),
  };
}

function defaultPipelineTask(task: PipelineTask, rules: Rules): PipelineTask {
  return {
    ...task,
    ...(task.taskRef ? { taskRef: defaultTaskRef(task.taskRef, rules) } : {}),
    ...(task.taskSpec ? { taskSpec: defaultTaskSpec(task.taskSpec, rules) } : {}),
  };
}

/** A CustomRun with a service account. */
export function defaultCustomRun(run: CustomRun, { defaults }: Rules): CustomRun {
  const serviceAccountName = run.spec.serviceAccountName || defaults.serviceAccount;
  return serviceAccountName === '' ? run : { ...run, spec: { ...run.spec, serviceAccountName } };
}
