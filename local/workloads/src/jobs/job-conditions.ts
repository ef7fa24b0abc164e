import type { Job } from '@tektite/schema/kubernetes';

export type JobStatus = NonNullable<Job['status']>;
export type JobCondition = NonNullable<JobStatus['conditions']>[number];

/** Why a Job ends. */
export interface JobEnd {
  readonly type: 'success' | 'failure';
  readonly reason: string;
  readonly message: string;
}

export const completionsReached: JobEnd = {
  type: 'success',
  reason: 'CompletionsReached',
  message: 'Reached expected number of succeeded pods',
};
export const backoffLimitExceeded: JobEnd = {
  type: 'failure',
  reason: 'BackoffLimitExceeded',
  message: 'Job has reached the specified backoff limit',
};
export const deadlineExceeded: JobEnd = {
  type: 'failure',
  reason: 'DeadlineExceeded',
  message: 'Job was active longer than specified deadline',
};

export const failedIndexesEnd: JobEnd = { type: 'failure', reason: 'FailedIndexes', message: 'Job has failed indexes' };
export const tooManyFailedIndexes: JobEnd = {
  type: 'failure',
  reason: 'MaxFailedIndexesExceeded',
  message: 'Job has exceeded the specified maximal number of failed indexes',
};

/**
 * Upstream sets two conditions: the first when the outcome is certain, the second when the last Pod is deleted and
 * counted.
 */
const names = {
  success: { certain: 'SuccessCriteriaMet', over: 'Complete' },
  failure: { certain: 'FailureTarget', over: 'Failed' },
} as const;

function isTrue({ conditions }: JobStatus, type: string): boolean {
  return conditions?.some((condition) => condition.type === type && condition.status === 'True') ?? false;
}

export function isFinished(status: JobStatus): boolean {
  return isTrue(status, 'Complete') || isTrue(status, 'Failed');
}

/** The outcome that was written before; nothing changes it any more. */
export function decidedEnd({ conditions = [] }: JobStatus): JobEnd | undefined {
  for (const type of ['success', 'failure'] as const) {
    const found = conditions.find((each) => each.type === names[type].certain && each.status === 'True');
    if (found) return { type, reason: found.reason ?? '', message: found.message ?? '' };
  }
  return undefined;
}

export function withEnd(
  conditions: readonly JobCondition[],
  end: JobEnd,
  over: boolean,
  now: string,
): readonly JobCondition[] {
  const wanted = over ? [names[end.type].certain, names[end.type].over] : [names[end.type].certain];
  const missing = wanted.filter((type) => !conditions.some((each) => each.type === type && each.status === 'True'));
  return [...conditions, ...missing.map((type) => condition(type, 'True', end.reason, end.message, now))];
}

function condition(type: string, status: string, reason: string, message: string, now: string): JobCondition {
  return { type, status, lastProbeTime: now, lastTransitionTime: now, reason, message };
}

/** Says whether the Job is suspended; one that never was says nothing. */
export function withSuspension(
  conditions: readonly JobCondition[],
  suspended: boolean,
  now: string,
): readonly JobCondition[] {
  const old = conditions.find(({ type }) => type === 'Suspended');
  if (suspended === (old?.status === 'True') || (!suspended && !old)) return conditions;
  const fresh = suspended
    ? condition('Suspended', 'True', 'JobSuspended', 'Job suspended', now)
    : condition('Suspended', 'False', 'JobResumed', 'Job resumed', now);
  return old ? conditions.map((each) => (each === old ? fresh : each)) : [...conditions, fresh];
}
