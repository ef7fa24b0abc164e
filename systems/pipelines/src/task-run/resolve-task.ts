import type { Client } from '@tektite/client';
import { isStatusError } from '@tektite/meta';
import { StepAction, Task } from '../kinds/kinds.ts';
import type { TaskRun } from '../kinds/task-run.ts';
import type { Step, TaskSpec } from '../kinds/task-spec.ts';
import { RunFailure } from './run-failure.ts';

/** A Task that was found, and what it says of itself. */
export interface ResolvedTask {
  readonly spec: TaskSpec;
  /** The name of the Task; of one within a run, the run's. */
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
  /** Whether it was just read, and not remembered. */
  readonly isNew: boolean;
}

/**
 * The Task of a run. One within the run is read from there each time; one that is referred to is read once and remembered, so
 * that a run does not change when its Task does.
 */
export async function resolveTask(taskRun: TaskRun, client: Client, signal: AbortSignal): Promise<ResolvedTask> {
  const { spec, status, metadata } = taskRun;
  const { name: runName = '', namespace = '', labels = {}, annotations = {} } = metadata;
  if (spec.taskSpec)
    return { spec: spec.taskSpec, name: runName, labels: {}, annotations: {}, isNew: !status?.taskSpec };
  const name = spec.taskRef?.name ?? '';
  if (status?.taskSpec) return { spec: status.taskSpec, name, labels, annotations, isNew: false };
  if (spec.taskRef?.resolver)
    throw new RunFailure('TaskRunResolutionFailed', `the resolver ${spec.taskRef.resolver} is not supported yet`);
  try {
    const task = await client.get(Task, { namespace, name }, { signal });
    const { labels: own = {}, annotations: notes = {} } = task.metadata;
    return { spec: task.spec, name, labels: own, annotations: notes, isNew: true };
  } catch (error) {
    if (!isStatusError(error, 'NotFound')) throw error;
    throw new RunFailure(
      'TaskRunResolutionFailed',
      `error when listing tasks for taskRun ${runName}: ${error.message}`,
      { cause: error },
    );
  }
}

/** A Task with its references to StepActions replaced by what these say. */
export async function resolveSteps(
  task: TaskSpec,
  namespace: string,
  client: Client,
  signal: AbortSignal,
): Promise<TaskSpec> {
  if (!task.steps?.some(({ ref }) => ref)) return task;
  const steps = await Promise.all(task.steps.map((step, index) => resolveStep(step, index, namespace, client, signal)));
  return { ...task, steps };
}

async function resolveStep(
  step: Step,
  index: number,
  namespace: string,
  client: Client,
  signal: AbortSignal,
): Promise<Step> {
  const { ref, params: _, ...own } = step;
  if (!ref?.name) return step;
  try {
    const { spec } = await client.get(StepAction, { namespace, name: ref.name }, { signal });
    const { description: __, params: ___, ...said } = spec;
    return { ...own, ...said };
  } catch (error) {
    if (!isStatusError(error, 'NotFound')) throw error;
    throw new RunFailure(
      'TaskRunResolutionFailed',
      `failed to resolve step ref for step "${step.name ?? ''}" (index ${index}): ${error.message}`,
      { cause: error },
    );
  }
}
