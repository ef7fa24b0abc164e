import { formatWithoutArguments } from '@tektite/go';
import { formatTime } from '@tektite/meta';
import { succeededCondition, withOutcome } from '../../../conditions/succeeded-condition.ts';
import type { RunCondition } from '../../../kinds/run-status.ts';
import type { TaskRun } from '../../../kinds/task-run.ts';
import type { StepState, TaskRunStatus } from '../../../kinds/task-run-spec.ts';
import { isCancelled } from './lifecycle.ts';

/** The status of a run that the controller terminates: cancelled, timed out, or with a Pod that cannot start. */
export function terminatedStatus(
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

/** A deleted Pod reports no states any more, so the controller completes the states of its steps. */
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

/** The condition that a terminated run had before, where it explains why the run did not get further. */
export function previousStatus({ reason = '', message = '' }: Partial<RunCondition> = {}): string {
  return message && !ordinary.has(reason) ? `\nPrevious status: [${reason}] ${message}` : '';
}

/** The status of the next attempt of a failed run; undefined when it has no retries left. A cancelled run is not retried. */
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
