import { instantToMilliseconds, parseTime } from '@tektite/meta';
import type { Job, Pod } from '@tektite/schema/kubernetes';
import { byDispensability } from '../pods/deletion-order.ts';
import { omitZero } from '../pods/omit-zero.ts';
import { restartsOf } from '../pods/pod-state.ts';
import { formatIndexes } from './completion-indexes.ts';
import {
  backoffLimitExceeded,
  completionsReached,
  deadlineExceeded,
  decidedEnd,
  failedIndexesEnd,
  type JobEnd,
  type JobStatus,
  tooManyFailedIndexes,
  withEnd,
  withSuspension,
} from './job-conditions.ts';
import { limitsEachIndex } from './index-failures.ts';
import { indexOf, isIndexed } from './job-pod.ts';
import { type Tally, tally } from './pod-tally.ts';
import { successByPolicy } from './success-policy.ts';

/** The plan for a Job. Its order: create and delete Pods, write the status, release the counted Pods. */
export interface JobPlan {
  /** For each Pod to be made its index, if the Job has indexes. */
  readonly create: readonly (number | undefined)[];
  /** To be deleted and never counted: they were not wanted. */
  readonly withdraw: readonly Pod[];
  /** Pods to delete and to count as failed, because the Job has completed. */
  readonly stop: readonly Pod[];
  readonly status: JobStatus;
  readonly release: readonly Pod[];
  readonly end: JobEnd | undefined;
  /** The time of the next reconcile, whether or not an event arrives before. */
  readonly wakeAt: number | undefined;
  readonly tally: Tally;
}

/** Failures in a row, and when the last was; kept by the process, as upstream does. */
export interface Backoff {
  readonly failures: number;
  readonly lastFailureAt: number;
}

const burst = 500;
const firstDelayMs = 10_000;
const maxDelayMs = 600_000;

/** When a Job may make Pods again. */
export function retryAt({ failures, lastFailureAt }: Backoff): number {
  if (failures === 0) return 0;
  return lastFailureAt + Math.min(firstDelayMs * 2 ** (failures - 1), maxDelayMs);
}

export function planJob(
  job: Job,
  pods: readonly Pod[],
  backoffOf: (counts: Tally) => Backoff,
  now: { readonly milliseconds: number; readonly text: string },
): JobPlan {
  const counts = tally(job, pods, now.milliseconds);
  const suspended = job.spec?.suspend === true;
  const startTime = startOf(job, suspended, now.text);
  const end = decidedEnd(job.status ?? {}) ?? endOf(job, counts, startTime, suspended, now.milliseconds);
  const changes = end
    ? { create: [], withdraw: [], stop: counts.active, wakeAt: undefined }
    : { stop: [], ...changesOf(job, counts, suspended, retryAt(backoffOf(counts)), now.milliseconds) };
  const deadline = end || suspended ? undefined : deadlineOf(job, startTime);
  const { uncounted } = counts;
  const removed = changes.withdraw.length + changes.stop.length;
  const over =
    end !== undefined &&
    counts.active.length === 0 &&
    counts.terminating === 0 &&
    uncounted.succeeded.length + uncounted.failed.length === 0;
  const conditions = withSuspension(job.status?.conditions ?? [], suspended, now.text);
  const active = counts.active.length - removed + changes.create.length;
  const ended = end ? withEnd(conditions, end, over, now.text) : conditions;
  return {
    ...changes,
    end,
    release: counts.release,
    wakeAt: [changes.wakeAt, deadline].filter((time) => time !== undefined).sort((a, b) => a - b)[0],
    tally: counts,
    status: {
      ...(ended.length > 0 ? { conditions: ended } : {}),
      ...(startTime ? { startTime } : {}),
      ...(over && end.type === 'success' ? { completionTime: now.text } : {}),
      ...omitZero({ active, succeeded: counts.settled.succeeded, failed: counts.settled.failed }),
      terminating: counts.terminating + removed,
      ...(isIndexed(job) && counts.succeededIndexes.size > 0
        ? { completedIndexes: formatIndexes(counts.succeededIndexes) }
        : {}),
      ...(limitsEachIndex(job) ? { failedIndexes: formatIndexes(counts.failedIndexes) } : {}),
      uncountedTerminatedPods: {
        ...(uncounted.succeeded.length > 0 ? { succeeded: uncounted.succeeded } : {}),
        ...(uncounted.failed.length > 0 ? { failed: uncounted.failed } : {}),
      },
      ready: Math.min(counts.ready, active),
    },
  };
}

function startOf({ status }: Job, suspended: boolean, now: string): string | undefined {
  if (suspended)
    return status?.conditions?.some(({ type }) => type === 'Complete' || type === 'Failed')
      ? status.startTime
      : undefined;
  return status?.startTime ?? now;
}

function deadlineOf({ spec }: Job, startTime: string | undefined): number | undefined {
  if (spec?.activeDeadlineSeconds === undefined || !startTime) return undefined;
  return instantToMilliseconds(parseTime(startTime)) + Number(spec.activeDeadlineSeconds) * 1000;
}

function endOf(
  job: Job,
  counts: Tally,
  startTime: string | undefined,
  suspended: boolean,
  now: number,
): JobEnd | undefined {
  const { spec } = job;
  if (counts.failJob !== undefined) return { type: 'failure', reason: 'PodFailurePolicy', message: counts.failJob };
  const limit = spec?.backoffLimit ?? 6;
  if (counts.failed > limit || restartedTooOften(job, counts.active, limit)) return backoffLimitExceeded;
  const deadline = deadlineOf(job, startTime);
  if (!suspended && deadline !== undefined && deadline <= now) return deadlineExceeded;
  const byPolicy = isIndexed(job) ? successByPolicy(job, counts.succeededIndexes) : undefined;
  if (byPolicy) return byPolicy;
  const { size: failedCount } = counts.failedIndexes;
  if (limitsEachIndex(job) && failedCount > (spec?.maxFailedIndexes ?? Number.POSITIVE_INFINITY))
    return tooManyFailedIndexes;
  if (counts.active.length > 0) return undefined;
  if (limitsEachIndex(job) && failedCount > 0 && counts.succeeded + failedCount >= (spec?.completions ?? 0))
    return failedIndexesEnd;
  const complete = spec?.completions === undefined ? counts.succeeded > 0 : counts.succeeded >= spec.completions;
  return complete && !(suspended && spec?.completions !== 0 && counts.succeeded === 0) ? completionsReached : undefined;
}

/** Pods that start their containers again do not fail themselves; their restarts count instead. */
function restartedTooOften({ spec }: Job, active: readonly Pod[], limit: number): boolean {
  if (spec?.template.spec?.restartPolicy !== 'OnFailure') return false;
  const restarts = active.reduce((sum, pod) => sum + restartsOf(pod), 0);
  return limit === 0 ? restarts > 0 : restarts >= limit;
}

interface Changes {
  readonly create: readonly (number | undefined)[];
  readonly withdraw: readonly Pod[];
  readonly wakeAt: number | undefined;
}

function changesOf(job: Job, counts: Tally, suspended: boolean, notBefore: number, now: number): Changes {
  const { active } = counts;
  const nothing: Changes = { create: [], withdraw: [], wakeAt: undefined };
  if (suspended) return { ...nothing, withdraw: active };
  const wanted = wantedActive(job, counts);
  if (active.length > wanted)
    return { ...nothing, withdraw: byDispensability(active, now).slice(0, active.length - wanted) };
  const replaced = job.spec?.podReplacementPolicy === 'Failed' ? counts.terminating : 0;
  const missing = Math.min(wanted - replaced - active.length, burst);
  if (missing <= 0) return nothing;
  if (limitsEachIndex(job)) return retriedIndexes(job, counts, missing, now);
  if (notBefore > now) return { ...nothing, wakeAt: notBefore };
  const create = isIndexed(job)
    ? pendingIndexes(job, counts).slice(0, missing)
    : Array.from({ length: missing }, () => undefined);
  return { ...nothing, create };
}

/** Each index waits for itself. */
function retriedIndexes(job: Job, counts: Tally, missing: number, now: number): Changes {
  const due = pendingIndexes(job, counts).map((index) => {
    const { count, lastAt } = counts.indexFailures.get(index) ?? { count: 0, lastAt: 0 };
    return { index, at: retryAt({ failures: count, lastFailureAt: lastAt }) };
  });
  const create = due.filter(({ at }) => at <= now).map(({ index }) => index);
  const later = due.filter(({ at }) => at > now).map(({ at }) => at);
  const wakeAt = later.length > 0 ? Math.min(...later) : undefined;
  return { create: create.slice(0, missing), withdraw: [], wakeAt };
}

function wantedActive({ spec }: Job, { succeeded, active, failedIndexes }: Tally): number {
  const parallelism = spec?.parallelism ?? 1;
  if (spec?.completions === undefined) return succeeded > 0 ? active.length : parallelism;
  return Math.max(0, Math.min(parallelism, spec.completions - succeeded - failedIndexes.size));
}

function pendingIndexes({ spec }: Job, { succeededIndexes, failedIndexes, active }: Tally): number[] {
  const taken = new Set(active.map(indexOf));
  const indexes: number[] = [];
  for (let index = 0; index < (spec?.completions ?? 0); index++)
    if (!succeededIndexes.has(index) && !failedIndexes.has(index) && !taken.has(index)) indexes.push(index);
  return indexes;
}
