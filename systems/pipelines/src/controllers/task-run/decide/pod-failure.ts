import type { GoDuration } from '@tektite/go';
import { quoteGo } from '@tektite/meta';

import type { CachedPod } from '../../../cache/cache-transforms.ts';
import type { ConfigDefaults } from '../../../config/config-defaults.ts';
import type { TaskRun } from '../../../kinds/task-run.ts';
import type { StepState, TaskRunStatus } from '../../../kinds/task-run-spec.ts';

export interface PodFailure {
  readonly reason: string;
  readonly message: string;
}

/** Reasons for which a container waits, and will not stop waiting. */
const hopeless = new Set([
  'ImagePullBackOff',
  'InvalidImageName',
  'CreateContainerConfigError',
  'CreateContainerError',
]);
/** From these a Pod's time to recover counts. */
const startConditions = new Set(['Initialized', 'PodReadyToStartContainers']);

/** Why the Pod of a run will never start, by what the run says of its containers; undefined while there is hope. */
export function podFailure(
  { steps = [], sidecars = [] }: TaskRunStatus,
  taskRun: TaskRun,
  pod: CachedPod | undefined,
  defaults: ConfigDefaults,
  now: number,
): PodFailure | undefined {
  const containers = [
    ...steps.map((state) => ({ what: 'step', state })),
    ...sidecars.map((state) => ({ what: 'sidecar', state })),
  ];
  for (const { what, state } of containers) {
    const reason = state.waiting?.reason ?? '';
    if (!hopeless.has(reason) || mayRecover(state, pod, defaults, now)) continue;
    return describe(what, state, taskRun);
  }
  return undefined;
}

function mayRecover(
  { waiting }: StepState,
  pod: CachedPod | undefined,
  defaults: ConfigDefaults,
  now: number,
): boolean {
  const { reason, message = '' } = waiting ?? {};
  if (reason === 'ImagePullBackOff') return isYoung(pod, defaults.imagePullBackOffTimeout, now);
  if (reason === 'InvalidImageName' || !message.includes('context deadline exceeded')) return false;
  return isYoung(pod, defaults.createContainerErrorTimeout, now);
}

function isYoung(pod: CachedPod | undefined, timeout: GoDuration, now: number): boolean {
  const limit = Number(timeout) / 1e6;
  return (pod?.status?.conditions ?? []).some(
    ({ type, lastTransitionTime }) =>
      startConditions.has(type) && lastTransitionTime && now - Date.parse(lastTransitionTime) < limit,
  );
}

function describe(what: string, { waiting, name = '', imageID = '' }: StepState, { metadata }: TaskRun): PodFailure {
  const { reason, message = '' } = waiting ?? {};
  const who = `the ${what} ${quoteGo(name)} in TaskRun ${quoteGo(metadata.name ?? '')}`;
  const why = `The pod errored with the message: "${message}."`;
  if (reason === 'ImagePullBackOff' || reason === 'InvalidImageName')
    return {
      reason: 'TaskRunImagePullFailed',
      message: `${who} failed to pull the image ${quoteGo(imageID)}. ${why}`,
    };
  return {
    reason: reason === 'CreateContainerConfigError' ? reason : 'PodCreationFailed',
    message: `${who} failed to start. ${why}`,
  };
}
