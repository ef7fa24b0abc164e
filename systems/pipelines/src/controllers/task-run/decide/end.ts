import { formatTime } from '@tektite/meta';
import { formatWithoutArguments } from '../../../kinds/go-format.ts';
import type { RunCondition } from '../../../kinds/run-status.ts';
import type { TaskRun } from '../../../kinds/task-run.ts';
import type { StepState, TaskRunStatus } from '../../../kinds/task-run-spec.ts';
import { isCancelled, succeededCondition, withOutcome } from './life.ts';

/** A run that is ended from outside: cancelled, out of time, or with a Pod that will never start. */
export function endedStatus(
  taskRun: TaskRun,
  status: TaskRunStatus,
  { reason, message }: { readonly reason: string; readonly message: string },
  now: number,
): TaskRunStatus {
  const completionTime = formatTime(now);
  const ended = withOutcome({ ...status, completionTime }, { status: 'False', reason, message }, now);
  if (!status.podName || !ended.steps) return ended;
  const steps = ended.steps.map((step) => terminatedStep(step, taskRun, status.podName, reason, completionTime));
  return { ...ended, steps };
}

/** Nobody tells of a container any more once its Pod is gone. */
function terminatedStep(
  step: StepState,
  { metadata }: TaskRun,
  podName: string,
  reason: string,
  finishedAt: string,
): StepState {
  if (!step.running && !step.waiting) return step;
  const { running, waiting: _, ...rest } = step;
  return {
    ...rest,
    terminated: {
      exitCode: 1,
      reason,
      message: `Step ${step.name} terminated as pod ${podName} is terminated`,
      startedAt: running?.startedAt ?? metadata.creationTimestamp ?? finishedAt,
      finishedAt,
    },
    terminationReason: reason,
  } as StepState;
}

const ordinary = new Set(['Started', 'Running', 'TaskRunPending']);

/** What the run was waiting for, when that explains why it did not get further. */
export function previousStatus({ reason = '', message = '' }: Partial<RunCondition> = {}): string {
  return message && !ordinary.has(reason) ? `\nPrevious status: [${reason}] ${message}` : '';
}

/** The next attempt of a run that failed and has some left; undefined when it has none. A user's cancellation is final. */
export function retriedStatus(taskRun: TaskRun, status: TaskRunStatus, now: number): TaskRunStatus | undefined {
  const before = status.retriesStatus ?? [];
  const condition = succeededCondition(status);
  if (condition?.status !== 'False' || isCancelled(taskRun) || before.length >= (taskRun.spec.retries ?? 0))
    return undefined;
  const { retriesStatus: _, ...attempt } = status;
  const { startTime: __, completionTime: ___, results: ____, ...rest } = attempt;
  const next: TaskRunStatus = { ...rest, podName: '', retriesStatus: [...before, attempt] };
  const message = formatWithoutArguments(condition.message ?? '');
  return withOutcome(next, { status: 'Unknown', reason: 'ToBeRetried', message }, now);
}
