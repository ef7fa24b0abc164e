import { formatTime, knativeConditionSet, parseGoDuration } from '@tektite/meta';

import type { CachedPod } from '../../../cache/cache-transforms.ts';
import type { RunCondition } from '../../../kinds/run-status.ts';
import type { TaskRun } from '../../../kinds/task-run.ts';
import type { TaskRunStatus } from '../../../kinds/task-run-spec.ts';
import type { RunOutcome } from '../../../status/pod-outcome.ts';

const conditions = knativeConditionSet('Succeeded', []);

export function succeededCondition(status: Pick<TaskRunStatus, 'conditions'> | undefined): RunCondition | undefined {
  return status?.conditions?.find(({ type }) => type === 'Succeeded');
}

/** The status with this outcome. The same conditions come back when it has it already. */
export function withOutcome(
  status: TaskRunStatus,
  { status: how, reason, message }: RunOutcome,
  now: number,
): TaskRunStatus {
  const condition = { type: 'Succeeded', status: how, reason, ...(message ? { message } : {}) };
  const before = (status.conditions ?? []) as Parameters<typeof conditions.set>[0];
  return { ...status, conditions: conditions.set(before, condition, formatTime(now)) };
}

export function isDone(status: TaskRunStatus | undefined): boolean {
  return (succeededCondition(status)?.status ?? 'Unknown') !== 'Unknown';
}

export const isCancelled = ({ spec }: TaskRun): boolean => spec.status === 'TaskRunCancelled';
export const isPending = ({ spec }: TaskRun): boolean => spec.status === 'TaskRunPending';

/** Others may have controllers of their own for runs that say so. */
export function isOurs({ spec }: Pick<TaskRun, 'spec'>): boolean {
  return !spec.managedBy || spec.managedBy === 'tekton.dev/pipeline';
}

/** A run that has begun, with its Pod if it has one. It never began before it was created, whatever the clocks say. */
export function started({ metadata, status }: TaskRun, now: number, pod?: CachedPod): TaskRunStatus {
  const current: TaskRunStatus = status ?? { podName: '' };
  if (current.startTime) return current;
  const created = Date.parse(metadata.creationTimestamp ?? '') || 0;
  const begun = Math.max(created, Math.min(now, Date.parse(pod?.metadata.creationTimestamp ?? '') || now));
  const podName = current.podName || (pod?.metadata.name ?? '');
  const running = { ...current, podName, startTime: formatTime(begun) };
  const message = succeededCondition(current)?.message ?? '';
  return withOutcome(running, { status: 'Unknown', reason: 'Started', message }, now);
}

/** In milliseconds; undefined for no limit. */
export function timeoutOf({ spec }: TaskRun): number | undefined {
  const milliseconds = Number(parseGoDuration(spec.timeout ?? '1h')) / 1e6;
  return milliseconds === 0 ? undefined : milliseconds;
}

/** How much of its time a run has left; undefined for no limit. Negative: it is over. */
export function timeLeft(taskRun: TaskRun, status: TaskRunStatus, now: number): number | undefined {
  const timeout = timeoutOf(taskRun);
  if (timeout === undefined || !status.startTime) return undefined;
  return timeout - (now - Date.parse(status.startTime));
}
