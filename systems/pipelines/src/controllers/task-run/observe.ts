import type { CachedPod, CachedTaskRun } from '../../cache/cache-transforms.ts';
import type { TaskRun } from '../../kinds/task-run.ts';
import type { TaskRunObservation } from './decide/observation.ts';
import { currentPod } from './decide/task-run-pod.ts';
import { podsOf, type TaskRunServices } from './task-run-options.ts';

export function observe(taskRun: TaskRun, services: TaskRunServices): TaskRunObservation {
  const { context, options } = services;
  return {
    taskRun,
    pod: observePod(taskRun, services),
    flags: options.flags(),
    defaults: options.defaults(),
    release: options.release,
    now: context.clock.now(),
  };
}

/** The Pod of the current attempt, from the cache. */
export function observePod(taskRun: CachedTaskRun, { context, options }: TaskRunServices): CachedPod | undefined {
  const pods = context.cache(podsOf(options.transforms)).ownedBy(taskRun);
  return currentPod(taskRun.status ?? { podName: '' }, pods);
}
