import { instantToMilliseconds, parseTime } from '@tektite/meta';
import type { CronJob, Job } from '@tektite/schema/kubernetes';
import type { Schedule } from './schedule.ts';

/**
 * More missed times than this indicate a wrong clock or a long pause. They are skipped and reported, as upstream does.
 */
const manyMissed = 100;

export interface MissedTimes {
  /** The last time that has passed without a Job. */
  readonly last: number | undefined;
  readonly many: boolean;
  /** The time of the next reconcile. */
  readonly next: number | undefined;
}

/** The times that have passed since the last Job, or since the CronJob was made. */
export function missedTimes({ metadata, status, spec }: CronJob, schedule: Schedule, now: number): MissedTimes {
  const created = metadata.creationTimestamp ? instantToMilliseconds(parseTime(metadata.creationTimestamp)) : now;
  let earliest = status?.lastScheduleTime ? instantToMilliseconds(parseTime(status.lastScheduleTime)) : created;
  if (spec?.startingDeadlineSeconds !== undefined)
    earliest = Math.max(earliest, now - Number(spec.startingDeadlineSeconds) * 1000);
  let last: number | undefined;
  let count = 0;
  let time = schedule.after(earliest);
  while (time !== undefined && time <= now) {
    last = time;
    count++;
    if (count > manyMissed) {
      last = latestBefore(schedule, time, now);
      break;
    }
    time = schedule.after(time);
  }
  return { last, many: count > manyMissed, next: schedule.after(now) };
}

/** The last time up to now, found by halving: going through a year of minutes would take too long. */
function latestBefore(schedule: Schedule, from: number, now: number): number {
  let [low, high] = [from, now];
  while (high - low > 1000) {
    const middle = (low + high) / 2;
    const next = schedule.after(middle);
    if (next !== undefined && next <= now) low = next;
    else high = middle;
  }
  const next = schedule.after(low);
  return next !== undefined && next <= now ? next : low;
}

export function finishedType({ status }: Job): 'Complete' | 'Failed' | undefined {
  for (const type of ['Complete', 'Failed'] as const)
    if (status?.conditions?.some((condition) => condition.type === type && condition.status === 'True')) return type;
  return undefined;
}

/** Finished Jobs beyond the limits of history, the oldest first. */
export function outdatedJobs({ spec }: CronJob, jobs: readonly Job[]): readonly Job[] {
  const beyond = (type: 'Complete' | 'Failed', limit: number) => {
    const finished = jobs.filter((job) => finishedType(job) === type).toSorted(byStart);
    return finished.slice(0, Math.max(0, finished.length - limit));
  };
  return [
    ...beyond('Complete', spec?.successfulJobsHistoryLimit ?? 3),
    ...beyond('Failed', spec?.failedJobsHistoryLimit ?? 1),
  ];
}

function byStart(a: Job, b: Job): number {
  const time = ({ metadata, status }: Job) => `${status?.startTime ?? metadata.creationTimestamp} ${metadata.name}`;
  return time(a) < time(b) ? -1 : 1;
}

export type StartDecision = 'start' | 'tooLate' | 'alreadyActive' | 'replace' | 'known';

/** Whether a Job is started for a time that has come. */
export function startDecision(
  { spec, status }: CronJob,
  scheduled: number,
  now: number,
  active: number,
): StartDecision {
  if (status?.lastScheduleTime && instantToMilliseconds(parseTime(status.lastScheduleTime)) === scheduled)
    return 'known';
  if (spec?.startingDeadlineSeconds !== undefined && scheduled + Number(spec.startingDeadlineSeconds) * 1000 < now)
    return 'tooLate';
  if (active > 0 && spec?.concurrencyPolicy === 'Forbid') return 'alreadyActive';
  return active > 0 && spec?.concurrencyPolicy === 'Replace' ? 'replace' : 'start';
}
