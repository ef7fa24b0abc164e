import type { FeatureFlags } from '../config/feature-flags.ts';
import type { TaskRun } from '../kinds/task-run.ts';
import type { TaskSpec } from '../kinds/task-spec.ts';
import { validateArrayIndices, validateEnums, validateParams } from './validate-params.ts';
import { validateOverrides, validateSingleClaim, validateWorkspaces } from './validate-workspaces.ts';

/**
 * Checks that a run and its Task fit together, in Tekton's order: the first mistake is the one that is told. Gives the Task
 * with the workspaces that the run brings along. Throws a `RunFailure`.
 */
export function prepareTask(task: TaskSpec, taskRun: TaskRun, taskName: string, flags: FeatureFlags): TaskSpec {
  const { spec } = taskRun;
  const { params: specs = [] } = task;
  const params = spec.params ?? [];
  validateParams(specs, params, taskName);
  if (flags.enableParamEnum) validateEnums(specs, params);
  validateArrayIndices(task, specs, params);
  const bindings = spec.workspaces ?? [];
  const whole = spec.taskSpec ? withPropagatedWorkspaces(task, taskRun) : task;
  validateWorkspaces(whole, bindings);
  if (flags.coschedule === 'workspaces') validateSingleClaim(bindings);
  validateOverrides(whole, spec);
  return whole;
}

/** A Task within a run has the workspaces of the run, declared or not. */
function withPropagatedWorkspaces(task: TaskSpec, { spec }: TaskRun): TaskSpec {
  const declared = task.workspaces ?? [];
  const more = (spec.workspaces ?? [])
    .filter(({ name }) => !declared.some((own) => own.name === name))
    .map(({ name }) => ({ name }));
  return more.length > 0 ? { ...task, workspaces: [...declared, ...more] } : task;
}
