import { parseGoDuration } from '@tektite/go';
import { formatTime } from '@tektite/meta';
import type { CachedPod } from '../../../cache/cache-transforms.ts';
import { succeededCondition, withOutcome } from '../../../conditions/succeeded-condition.ts';
import type { TaskRun } from '../../../kinds/task-run.ts';
import type { TaskRunStatus } from '../../../kinds/task-run-spec.ts';

/** A TaskRun as decided so far: with the metadata and the status that it is to have. */
export type TaskRunDraft = TaskRun & { readonly status: TaskRunStatus };

/** The draft with some fields of its status replaced. */
export function withStatus(draft: TaskRunDraft, changes: Partial<TaskRunStatus>): TaskRunDraft {
  return { ...draft, status: { ...draft.status, ...changes } };
}

export const isCancelled = ({ spec }: TaskRun): boolean => spec.status === 'TaskRunCancelled';
export const isPending = ({ spec }: TaskRun): boolean => spec.status === 'TaskRunPending';

/** Whether this controller runs it. `spec.managedBy` hands a run to another controller. */
export function isManaged({ spec }: Pick<TaskRun, 'spec'>): boolean {
  return !spec.managedBy || spec.managedBy === 'tekton.dev/pipeline';
}

/** The status with a start time, and with its Pod if there is one. A run never starts before its creation, even if clocks disagree. */
export function startedStatus({ metadata, status }: TaskRun, now: number, pod?: CachedPod): TaskRunStatus {
  const current: TaskRunStatus = status ?? { podName: '' };
  if (current.startTime) return current;
  const created = Date.parse(metadata.creationTimestamp ?? '') || 0;
  const startedAt = Math.max(created, Math.min(now, Date.parse(pod?.metadata.creationTimestamp ?? '') || now));
  const podName = current.podName || (pod?.metadata.name ?? '');
  const running = { ...current, podName, startTime: formatTime(startedAt) };
  const message = succeededCondition(current)?.message ?? '';
  return withOutcome(running, { status: 'Unknown', reason: 'Started', message }, now);
}

/** In milliseconds; undefined for no timeout. */
function timeoutOf({ spec }: TaskRun): number | undefined {
  const milliseconds = Number(parseGoDuration(spec.timeout ?? '1h')) / 1e6;
  return milliseconds === 0 ? undefined : milliseconds;
}

/** The time until the timeout, in milliseconds; undefined for no timeout. Not positive: the run timed out. */
export function timeLeft(taskRun: TaskRun, status: TaskRunStatus, now: number): number | undefined {
  const timeout = timeoutOf(taskRun);
  if (timeout === undefined || !status.startTime) return undefined;
  return timeout - (now - Date.parse(status.startTime));
}
