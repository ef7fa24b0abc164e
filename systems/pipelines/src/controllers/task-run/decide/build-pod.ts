import { formatGoDuration } from '@tektite/go';
import type { Random } from '@tektite/meta';
import type { LimitRange, Pod } from '@tektite/schema/kubernetes';
import type { ConfigDefaults } from '../../../config/config-defaults.ts';
import type { FeatureFlags } from '../../../config/feature-flags.ts';
import type { TaskRun } from '../../../kinds/task-run.ts';
import type { TaskSpec } from '../../../kinds/task-spec.ts';
import { buildPod, type PodCredentials } from '../../../pod/build-pod.ts';
import type { ImageCommands } from '../../../pod/image-commands.ts';
import type { PodImages } from '../../../pod/pod-images.ts';
import type { Rules } from '../../../rules/rules.ts';
import { mergedSteps } from '../../../rules/validation/merged-steps.ts';
import { validateParamUsage } from '../../../rules/validation/validate-params.ts';
import { validateTaskSpec } from '../../../rules/validation/validate-task.ts';
import { applyWorkspaces } from '../../../workspace/apply-workspaces.ts';
import { workspaceVolumes } from '../../../workspace/workspace-volumes.ts';
import { podCreationError, podCreationFailure } from './pod-creation-failure.ts';

/** Objects that the Pod of a run depends on, besides the run. */
export interface PodInputs {
  /** The Task with its workspaces mounted and its step template merged. */
  readonly task: TaskSpec;
  readonly hasNativeSidecars: boolean;
  readonly limitRanges: readonly LimitRange[];
  readonly credentials: PodCredentials;
  readonly imageCommands: ReadonlyMap<string, ImageCommands>;
}

export interface PodSettings {
  readonly flags: FeatureFlags;
  readonly defaults: ConfigDefaults;
  readonly images: PodImages;
  readonly release: string;
  readonly random: Random;
}

/** Validates a Task once more: with its variables replaced, more violations show than at creation. Throws a `RunFailure`. */
export function validateTask(taskRun: TaskRun, task: TaskSpec, rules: Rules): void {
  const usage = validateParamUsage(task.params ?? [], task.steps ?? [], rules);
  const errors = usage.isEmpty ? validateTaskSpec(task, rules) : usage;
  if (!errors.isEmpty) throw podCreationFailure(taskRun, String(errors));
}

/** The Task as the Pod runs it. Mounts of the step template come before those of workspaces. */
export function mountedTask({ spec }: TaskRun, task: TaskSpec): TaskSpec {
  const bindings = spec.workspaces ?? [];
  const merged = task.stepTemplate ? { ...task, steps: mergedSteps(task, { version: 'v1' }) } : task;
  return applyWorkspaces(merged, bindings, workspaceVolumes(bindings));
}

/** The Pod of an attempt. Throws a `RunFailure`. */
export function podFor(taskRun: TaskRun, { task, ...inputs }: PodInputs, settings: PodSettings): Pod {
  const { defaults, ...rest } = settings;
  try {
    return buildPod(taskRun, task, {
      ...rest,
      ...inputs,
      managedBy: defaults.managedByLabelValue,
      sidecarLogPollingInterval: formatGoDuration(defaults.sidecarLogPollingInterval),
      forbiddenEnv: defaults.forbiddenEnv,
      containerResources: defaults.containerResources,
    });
  } catch (error) {
    throw podCreationError(error, taskRun, 'translating TaskSpec to Pod: ');
  }
}
