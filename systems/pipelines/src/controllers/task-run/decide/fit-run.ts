import type { ConfigDefaults } from '../../../config/config-defaults.ts';
import type { FeatureFlags } from '../../../config/feature-flags.ts';
import type { TaskSpec } from '../../../kinds/task-spec.ts';
import { validateArrayIndices, validateEnums, validateParams } from '../../../params/validate-params.ts';
import { withDefaultWorkspaces } from './default-workspaces.ts';
import type { TaskRunDraft } from './lifecycle.ts';
import { validateRequests } from './validate-requests.ts';
import { validateOverrides, validateSingleClaim, validateWorkspaces } from './validate-workspaces.ts';

/**
 * Validates a run against its Task, in upstream's order: the first violation is the one that is reported. Returns the run with
 * the default workspace bindings. Throws a `RunFailure`.
 */
export function fitRun(
  draft: TaskRunDraft,
  task: TaskSpec,
  taskName: string,
  { flags, defaults }: { readonly flags: FeatureFlags; readonly defaults: ConfigDefaults },
): TaskRunDraft {
  const { params: specs = [] } = task;
  const params = draft.spec.params ?? [];
  validateRequests(task);
  validateParams(specs, params, taskName);
  if (flags.enableParamEnum) validateEnums(specs, params);
  validateArrayIndices(task, specs, params);
  const taskRun = withDefaultWorkspaces(draft, task, defaults.taskRunWorkspaceBinding);
  const bindings = taskRun.spec.workspaces ?? [];
  // An embedded Task has the workspaces of its run, declared or not.
  const propagated = taskRun.spec.taskSpec ? bindings.map(({ name }) => ({ name })) : [];
  validateWorkspaces([...propagated, ...(task.workspaces ?? [])], bindings);
  if (flags.coschedule === 'workspaces') validateSingleClaim(bindings);
  validateOverrides(task, taskRun.spec);
  return { ...taskRun, status: draft.status };
}
