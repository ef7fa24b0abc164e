import type { Container, VolumeMount } from '@tektite/schema/kubernetes';
import type { Step, TaskSpec } from '../kinds/task-spec.ts';
import { hasBreakpoints } from './debugging.ts';
import { type EntrypointOptions, entrypointArguments } from './entrypoint-arguments.ts';
import {
  credsMount,
  debugMounts,
  downwardMount,
  implicitMounts,
  paths,
  runMounts,
  scriptsMount,
  spireMount,
  unlessTaken,
} from './internal-volumes.ts';
import type { PlacedScript } from './place-scripts.ts';

export interface StepContainerOptions extends EntrypointOptions {
  /** How to run its script, if it has one. */
  readonly script: PlacedScript | undefined;
  /** Where the Secrets are mounted that credentials come from. */
  readonly secretMounts: readonly VolumeMount[];
}

/** The container of a step: its own program, run by the entrypoint. */
export function stepContainer(
  task: TaskSpec,
  step: Step,
  index: number,
  name: string,
  options: StepContainerOptions,
): Container {
  const { script, flags } = options;
  const command = script ? script.command : (step.command ?? []);
  const args = [...(script?.args ?? []), ...(step.args ?? [])];
  const own = step.volumeMounts ?? [];
  const mounts = [
    ...own,
    ...(script ? [{ ...scriptsMount, readOnly: true }] : []),
    ...(hasBreakpoints(options.breakpoints) ? debugMounts(index) : []),
    ...((index === 0 && options.waitsForReady) || flags.enableKeepPodOnCancel ? [downwardMount] : []),
    ...(flags.disableCredsInit ? [] : [credsMount(index)]),
    ...runMounts(task.steps?.length ?? 0, index),
  ];
  return {
    name,
    ...containerFields(step),
    command: [paths.entrypoint],
    args: [...entrypointArguments(task, step, index, command, args, options)],
    volumeMounts: [
      ...mounts,
      ...unlessTaken(mounts, [...implicitMounts, ...options.secretMounts]),
      ...(flags.enforceNonfalsifiability === 'spire' ? [spireMount] : []),
    ],
    terminationMessagePath: paths.termination,
  } as Container;
}

/** The fields that a container takes from a step unchanged. */
function containerFields(step: Step): Partial<Container> {
  const { image, workingDir, envFrom, env, computeResources, volumeDevices, imagePullPolicy, securityContext } = step;
  return {
    image: image ?? '',
    ...(workingDir ? { workingDir } : {}),
    ...(envFrom ? { envFrom } : {}),
    ...(env ? { env } : {}),
    resources: computeResources ?? {},
    ...(volumeDevices ? { volumeDevices } : {}),
    ...(imagePullPolicy ? { imagePullPolicy } : {}),
    ...(securityContext ? { securityContext } : {}),
  } as Partial<Container>;
}
