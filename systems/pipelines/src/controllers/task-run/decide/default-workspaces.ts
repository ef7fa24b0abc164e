import type { ConfigDefaults } from '../../../config/config-defaults.ts';
import type { TaskRun } from '../../../kinds/task-run.ts';
import type { TaskSpec } from '../../../kinds/task-spec.ts';
import type { WorkspaceBinding } from '../../../kinds/workspace.ts';
import { RunFailure } from '../../../conditions/run-failure.ts';

/** A run with a binding for each workspace of its Task that has to have one and got none, where the settings know one. */
export function withDefaultWorkspaces(
  taskRun: TaskRun,
  { workspaces = [] }: TaskSpec,
  binding: ConfigDefaults['taskRunWorkspaceBinding'],
): TaskRun {
  if (!binding) return taskRun;
  if ('unreadable' in binding) throw new RunFailure('TaskRunResolutionFailed', binding.unreadable);
  const own = taskRun.spec.workspaces ?? [];
  const { subPath, volumeClaimTemplate, persistentVolumeClaim, emptyDir, configMap, secret } = binding;
  const added = workspaces
    .filter(({ name, optional }) => !optional && !own.some((each) => each.name === name))
    .map(({ name }): WorkspaceBinding => {
      return {
        name,
        ...(subPath ? { subPath } : {}),
        ...(volumeClaimTemplate ? { volumeClaimTemplate } : {}),
        ...(persistentVolumeClaim ? { persistentVolumeClaim } : {}),
        ...(emptyDir ? { emptyDir } : {}),
        ...(configMap ? { configMap } : {}),
        ...(secret ? { secret } : {}),
      };
    });
  return { ...taskRun, spec: { ...taskRun.spec, workspaces: [...own, ...added] } };
}
