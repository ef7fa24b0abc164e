import type { KubeObject } from '@tektite/meta';
import type { TaskRunSpec, TaskRunStatus } from './task-run-spec.ts';

/** One execution of a Task. */
export interface TaskRun extends KubeObject {
  readonly spec: TaskRunSpec;
  readonly status?: TaskRunStatus;
}
