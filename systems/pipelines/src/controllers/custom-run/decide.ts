import { formatGoDuration, formatTime, knativeConditionSet, parseGoDuration } from '@tektite/meta';
import type { CustomRun, CustomRunResult, CustomRunStatus } from '../../kinds/custom-run.ts';
import type { RunCondition } from '../../kinds/run-status.ts';

const conditions = knativeConditionSet('Succeeded', []);

/** How far the work of a custom task is. */
export type CustomTaskProgress =
  | {
      readonly state: 'running';
      readonly message?: string;
      readonly lookAgainMs?: number;
      readonly extraFields?: unknown;
    }
  | { readonly state: 'succeeded'; readonly message?: string; readonly results?: readonly CustomRunResult[] }
  | { readonly state: 'failed'; readonly reason: string; readonly message: string };

/** What a CustomRun is to become, and when to look again if nothing happens. */
export interface CustomRunStep {
  readonly status: CustomRunStatus;
  readonly lookAgainMs?: number;
}

export function succeededOf(status: CustomRunStatus | undefined): RunCondition | undefined {
  return status?.conditions?.find(({ type }) => type === 'Succeeded');
}

export function isCustomRunOver(status: CustomRunStatus | undefined): boolean {
  return (succeededOf(status)?.status ?? 'Unknown') !== 'Unknown';
}

const isCancelled = ({ spec }: CustomRun) => spec.status === 'RunCancelled';

/** A CustomRun that has begun. */
export function begun({ status = {} }: CustomRun, now: number): CustomRunStatus {
  if (status.startTime) return status;
  return withCondition({ ...status, startTime: formatTime(now) }, 'Unknown', 'Started', '', now);
}

/** Why a CustomRun has to end, whatever its work says: it was cancelled, or its time is over. */
export function cutShort(run: CustomRun, status: CustomRunStatus, now: number): CustomRunStep | undefined {
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

/** What the progress of its work makes of a CustomRun. One that failed is tried again as often as it says. */
export function advanced(
  run: CustomRun,
  status: CustomRunStatus,
  progress: CustomTaskProgress,
  now: number,
): CustomRunStep {
  const { message = '' } = progress;
  if (progress.state === 'succeeded') {
    const { results } = progress;
    const next = results ? { ...status, results } : status;
    return { status: ended(next, 'True', 'Succeeded', message, now) };
  }
  if (progress.state === 'failed') return retried(run, ended(status, 'False', progress.reason, message, now), now);
  const { lookAgainMs, extraFields } = progress;
  const limit = timeoutOf(run);
  const left = limit === undefined ? Infinity : timeLeft(status, limit, now);
  const next = Math.min(lookAgainMs ?? Infinity, left);
  return {
    status: withCondition(
      extraFields === undefined ? status : { ...status, extraFields },
      'Unknown',
      'Running',
      message,
      now,
    ),
    ...(Number.isFinite(next) ? { lookAgainMs: next } : {}),
  };
}

function retried(run: CustomRun, status: CustomRunStatus, now: number): CustomRunStep {
  const { retriesStatus = [], ...attempt } = status;
  if (retriesStatus.length >= (run.spec.retries ?? 0)) return { status };
  const next = { retriesStatus: [...retriesStatus, attempt] };
  return {
    status: withCondition(next, 'Unknown', 'Retrying', succeededOf(status)?.message ?? '', now),
    lookAgainMs: 0,
  };
}

function ended(
  status: CustomRunStatus,
  how: 'True' | 'False',
  reason: string,
  message: string,
  now: number,
): CustomRunStatus {
  return { ...withCondition(status, how, reason, message, now), completionTime: formatTime(now) };
}

function withCondition(
  status: CustomRunStatus,
  how: 'True' | 'False' | 'Unknown',
  reason: string,
  message: string,
  now: number,
): CustomRunStatus {
  const condition = { type: 'Succeeded', status: how, reason, ...(message ? { message } : {}) };
  const before = (status.conditions ?? []) as Parameters<typeof conditions.set>[0];
  return { ...status, conditions: conditions.set(before, condition, formatTime(now)) };
}

/** In milliseconds; undefined for no limit. */
function timeoutOf({ spec }: CustomRun): number | undefined {
  const milliseconds = Math.round(Number(parseGoDuration(spec.timeout ?? '1h')) / 1e6);
  return milliseconds === 0 ? undefined : milliseconds;
}

function timeLeft({ startTime }: CustomRunStatus, limit: number, now: number): number {
  return limit - (now - Date.parse(startTime ?? formatTime(now)));
}
