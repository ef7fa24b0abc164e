import { formatGoDuration, parseGoDuration } from '@tektite/go';
import { formatTime } from '@tektite/meta';
import type { CustomRun } from '../../kinds/custom-run.ts';
import type { CustomRunResult, CustomRunStatus } from '../../kinds/custom-run-spec.ts';
import { succeededCondition, withOutcome } from '../../conditions/succeeded-condition.ts';

/** The progress that a custom task reports. */
export type CustomTaskProgress =
  | {
      readonly state: 'running';
      readonly message?: string;
      readonly requeueMs?: number;
      readonly extraFields?: unknown;
    }
  | { readonly state: 'succeeded'; readonly message?: string; readonly results?: readonly CustomRunResult[] }
  | { readonly state: 'failed'; readonly reason: string; readonly message: string };

/** The next status of a CustomRun, and the delay of the next reconcile. */
export interface CustomRunPlan {
  readonly status: CustomRunStatus;
  readonly requeueMs?: number;
}

const isCancelled = ({ spec }: CustomRun) => spec.status === 'RunCancelled';

/** The status of a CustomRun with its start time. */
export function startedStatus({ status = {} }: CustomRun, now: number): CustomRunStatus {
  if (status.startTime) return status;
  const started = { ...status, startTime: formatTime(now) };
  return withOutcome(started, { status: 'Unknown', reason: 'Started', message: '' }, now);
}

/** Ends a CustomRun that was cancelled or timed out, whatever its work reports. */
export function terminated(run: CustomRun, status: CustomRunStatus, now: number): CustomRunPlan | undefined {
  const { name = '' } = run.metadata;
  if (isCancelled(run)) {
    const message = `CustomRun "${name}" was cancelled. ${run.spec.statusMessage ?? ''}`.trimEnd();
    return { status: ended(status, 'False', 'CustomRunCancelled', message, now) };
  }
  const limit = timeoutOf(run);
  if (limit === undefined || timeLeft(status, limit, now) > 0) return undefined;
  const message = `CustomRun "${name}" failed to finish within "${formatGoDuration(BigInt(limit) * 1_000_000n)}"`;
  return retried(run, ended(status, 'False', 'CustomRunTimedOut', message, now), now);
}

/** Applies the progress of its work to a CustomRun. A failed one is retried up to `spec.retries` times. */
export function advanced(
  run: CustomRun,
  status: CustomRunStatus,
  progress: CustomTaskProgress,
  now: number,
): CustomRunPlan {
  const { message = '' } = progress;
  if (progress.state === 'succeeded') {
    const { results } = progress;
    const next = results ? { ...status, results } : status;
    return { status: ended(next, 'True', 'Succeeded', message, now) };
  }
  if (progress.state === 'failed') return retried(run, ended(status, 'False', progress.reason, message, now), now);
  const { requeueMs, extraFields } = progress;
  const limit = timeoutOf(run);
  const left = limit === undefined ? Infinity : timeLeft(status, limit, now);
  const next = Math.min(requeueMs ?? Infinity, left);
  return {
    status: withOutcome(
      extraFields === undefined ? status : { ...status, extraFields },
      { status: 'Unknown', reason: 'Running', message },
      now,
    ),
    ...(Number.isFinite(next) ? { requeueMs: next } : {}),
  };
}

function retried(run: CustomRun, status: CustomRunStatus, now: number): CustomRunPlan {
  const { retriesStatus = [], ...attempt } = status;
  if (retriesStatus.length >= (run.spec.retries ?? 0)) return { status };
  const next: CustomRunStatus = { retriesStatus: [...retriesStatus, attempt] };
  return {
    status: withOutcome(
      next,
      { status: 'Unknown', reason: 'Retrying', message: succeededCondition(status)?.message ?? '' },
      now,
    ),
    requeueMs: 0,
  };
}

function ended(
  status: CustomRunStatus,
  how: 'True' | 'False',
  reason: string,
  message: string,
  now: number,
): CustomRunStatus {
  return { ...withOutcome(status, { status: how, reason, message }, now), completionTime: formatTime(now) };
}

/** In milliseconds; undefined for no limit. */
function timeoutOf({ spec }: CustomRun): number | undefined {
  const milliseconds = Math.round(Number(parseGoDuration(spec.timeout ?? '1h')) / 1e6);
  return milliseconds === 0 ? undefined : milliseconds;
}

function timeLeft({ startTime }: CustomRunStatus, limit: number, now: number): number {
  return limit - (now - Date.parse(startTime ?? formatTime(now)));
}
