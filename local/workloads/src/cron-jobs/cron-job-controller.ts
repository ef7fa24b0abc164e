import { type Client, kinds, type NewObject, ignoreNotFound } from '@tektite/client';
import {
  type ControllerDefinition,
  defineController,
  done,
  owned,
  type Result,
  requeueAfter,
} from '@tektite/controller';
import { controllerReference, formatTime, isStatusError } from '@tektite/meta';
import type { CronJob, Job } from '@tektite/schema/kubernetes';
import type { RecordEvent } from '../component-events.ts';
import { finishedType, missedTimes, outdatedJobs, startDecision } from './decide.ts';
import { parseSchedule, type Schedule } from './schedule.ts';

type CronJobStatus = NonNullable<CronJob['status']>;

/** A little later than the minute: timers may come early. */
const slackMs = 100;

/** Starts Jobs at their times. */
export function cronJobController(record: RecordEvent): ControllerDefinition {
  const jobs = owned(kinds.Job);
  return defineController({
    name: 'cronjob',
    kind: kinds.CronJob,
    sources: [jobs],
    async reconcile(cronJob, { cache, client, clock, writeStatus }): Promise<Result> {
      const mine = cache(jobs).ownedBy(cronJob);
      const now = clock.now();
      let status = followActive(cronJob, mine, record);
      await deleteOutdated(client, cronJob, mine, record);
      if (cronJob.metadata.deletionTimestamp !== undefined || cronJob.spec?.suspend) {
        await writeStatus(cronJob, status);
        return done;
      }
      const schedule = readSchedule(cronJob, record);
      if (!schedule) {
        await writeStatus(cronJob, status);
        return done;
      }
      const { last, many, next } = missedTimes(cronJob, schedule, now);
      if (many) {
        const message =
          'too many missed start times. Set or decrease .spec.startingDeadlineSeconds or check clock skew';
        record(cronJob, { type: 'Warning', reason: 'TooManyMissedTimes', message });
      }
      if (last !== undefined) status = await start(client, cronJob, status, last, now, record);
      await writeStatus(cronJob, status);
      return next === undefined ? done : requeueAfter(next - now + slackMs);
    },
  });
}

function readSchedule(cronJob: CronJob, record: RecordEvent): Schedule | undefined {
  const { schedule = '', timeZone } = cronJob.spec ?? {};
  try {
    return parseSchedule(schedule, timeZone);
  } catch (error) {
    const message = `unparseable schedule: "${schedule}" : ${(error as Error).message}`;
    record(cronJob, { type: 'Warning', reason: 'UnparseableSchedule', message });
    return undefined;
  }
}

/** Which Jobs are active, and when the last one succeeded. */
function followActive(cronJob: CronJob, jobs: readonly Job[], record: RecordEvent): CronJobStatus {
  const { active = [], lastScheduleTime, lastSuccessfulTime } = cronJob.status ?? {};
  const running = jobs.filter((job) => finishedType(job) === undefined);
  for (const job of jobs) {
    const type = finishedType(job);
    const { uid, name } = job.metadata;
    if (type && active.some((each) => each.uid === uid))
      record(cronJob, { reason: 'SawCompletedJob', message: `Saw completed job: ${name}, condition: ${type}` });
  }
  for (const { uid, name } of active)
    if (!jobs.some(({ metadata }) => metadata.uid === uid))
      record(cronJob, { reason: 'MissingJob', message: `Active job went missing: ${name}` });
  const successes = jobs.flatMap(({ status }) => status?.completionTime ?? []);
  const latest = [...successes, ...(lastSuccessfulTime ? [lastSuccessfulTime] : [])].sort().at(-1);
  return {
    ...(running.length > 0 ? { active: running.map(referenceTo) } : {}),
    ...(lastScheduleTime ? { lastScheduleTime } : {}),
    ...(latest ? { lastSuccessfulTime: latest } : {}),
  };
}

function referenceTo({ metadata }: Job) {
  const { namespace = '', name = '', uid = '', resourceVersion = '' } = metadata;
  return { apiVersion: 'batch/v1', kind: 'Job', namespace, name, uid, resourceVersion };
}

async function start(
  client: Client,
  cronJob: CronJob,
  status: CronJobStatus,
  scheduled: number,
  now: number,
  record: RecordEvent,
): Promise<CronJobStatus> {
  const active = status.active ?? [];
  const decision = startDecision(cronJob, scheduled, now, active.length);
  if (decision === 'known') return status;
  if (decision === 'tooLate') {
    const time = new Date(scheduled).toUTCString().replace('GMT', '+0000');
    record(cronJob, {
      type: 'Warning',
      reason: 'MissSchedule',
      message: `Missed scheduled time to start a job: ${time}`,
    });
    return status;
  }
  if (decision === 'alreadyActive') {
    const message = 'Not starting job because prior execution is running and concurrency policy is Forbid';
    record(cronJob, { reason: 'JobAlreadyActive', message });
    return status;
  }
  const replaced = decision === 'replace';
  if (replaced) for (const { name = '' } of active) await deleteJob(client, cronJob, name, record);
  const wanted = cronJobRun(cronJob, scheduled);
  const job = await createOrFind(client, cronJob, wanted, record);
  if (!job) return status;
  const others = replaced ? [] : active.filter(({ uid }) => uid !== job.metadata.uid);
  return { ...status, active: [...others, referenceTo(job)], lastScheduleTime: formatTime(scheduled) };
}

/** The name is derived from the scheduled time, so that a restarted controller cannot create a second Job for it. */
export function cronJobRun(cronJob: CronJob, scheduled: number): NewObject<Job> {
  const { namespace = '', name = '' } = cronJob.metadata;
  const { metadata, spec } = cronJob.spec?.jobTemplate ?? {};
  return {
    metadata: {
      namespace,
      name: `${name}-${Math.floor(scheduled / 60_000)}`,
      ...(metadata?.labels ? { labels: metadata.labels } : {}),
      annotations: {
        ...metadata?.annotations,
        'batch.kubernetes.io/cronjob-scheduled-timestamp': formatTime(scheduled),
      },
      ownerReferences: [controllerReference(cronJob)],
    },
    ...(spec ? { spec } : {}),
  };
}

async function createOrFind(
  client: Client,
  cronJob: CronJob,
  wanted: NewObject<Job>,
  record: RecordEvent,
): Promise<Job | undefined> {
  const { namespace = '', name = '' } = wanted.metadata;
  try {
    const job = await client.create(kinds.Job, wanted);
    record(cronJob, { reason: 'SuccessfulCreate', message: `Created job ${name}` });
    return job;
  } catch (error) {
    if (isStatusError(error, 'Forbidden') && /being terminated/.test(error.message)) return undefined;
    if (!isStatusError(error, 'AlreadyExists')) {
      record(cronJob, {
        type: 'Warning',
        reason: 'FailedCreate',
        message: `Error creating job: ${(error as Error).message}`,
      });
      throw error;
    }
    const existing = await client.get(kinds.Job, { namespace, name });
    return existing.metadata.ownerReferences?.some(({ uid }) => uid === cronJob.metadata.uid) ? existing : undefined;
  }
}

async function deleteJob(client: Client, cronJob: CronJob, name: string, record: RecordEvent): Promise<void> {
  const { namespace = '' } = cronJob.metadata;
  const deletion = client.delete(kinds.Job, { namespace, name }, { propagationPolicy: 'Background' });
  if (await deletion.catch(ignoreNotFound))
    record(cronJob, { reason: 'SuccessfulDelete', message: `Deleted job ${name}` });
}

async function deleteOutdated(
  client: Client,
  cronJob: CronJob,
  jobs: readonly Job[],
  record: RecordEvent,
): Promise<void> {
  const alive = jobs.filter(({ metadata }) => metadata.deletionTimestamp === undefined);
  for (const { metadata } of outdatedJobs(cronJob, alive))
    await deleteJob(client, cronJob, metadata.name ?? '', record);
}
