import {
  equalJson,
  type FieldError,
  FieldPath,
  formatLabelSelector,
  invalid,
  type Mutable,
  notSupported,
  required,
} from '@tektite/meta';
import type { CronJob, CronJobSpec, JobSpec } from '@tektite/schema/kubernetes';
import type { KindStrategy } from '../../kind-strategy.ts';
import { prepareTemplate } from '../core/pod/prepare-pod.ts';
import { checkNonNegative } from '../field-checks.ts';
import { printableSelector } from '../go-value/go-value.ts';
import { keepStatus, resetStatus } from '../prepare.ts';
import { ageOf, containerCells, nameOf, since } from '../table/cells.ts';
import { cronJobColumns } from './columns.ts';
import { podNameWarnings } from '../core/workload.ts';
import { scheduleProblem, timeZoneProblem } from './cron-schedule.ts';
import { defaultJobSpec, jobSpecWarnings } from './job.ts';
import { validateJobSpec } from './job-spec.ts';

type Spec = Partial<CronJobSpec>;

const path = FieldPath.of('spec');
const jobPath = path.child('jobTemplate', 'spec');

const specOf = (cronJob: CronJob): Spec => cronJob.spec ?? {};
const jobSpecOf = (cronJob: CronJob): Partial<JobSpec> => specOf(cronJob).jobTemplate?.spec ?? {};

function defaultCronJob(cronJob: Mutable<CronJob>): void {
  cronJob.spec ??= {} as Mutable<CronJobSpec>;
  const { spec } = cronJob;
  spec.concurrencyPolicy ||= 'Allow';
  spec.suspend ??= false;
  spec.successfulJobsHistoryLimit ??= 3;
  spec.failedJobsHistoryLimit ??= 1;
  spec.jobTemplate ??= {};
  spec.jobTemplate.spec ??= {} as Mutable<JobSpec>;
  defaultJobSpec(spec.jobTemplate.spec);
}

function validateSpec(spec: Spec, old: Spec | undefined): FieldError[] {
  const errors: FieldError[] = [];
  validateSchedule(spec, old, errors);
  checkNonNegative(spec.startingDeadlineSeconds, path.child('startingDeadlineSeconds'), errors);
  if (!old || old.timeZone !== spec.timeZone) validateTimeZone(spec.timeZone, path.child('timeZone'), errors);
  const policies = ['Allow', 'Forbid', 'Replace'];
  const policy = spec.concurrencyPolicy ?? '';
  if (policy === '') errors.push(required(path.child('concurrencyPolicy')));
  else if (!policies.includes(policy)) errors.push(notSupported(path.child('concurrencyPolicy'), policy, policies));
  validateTemplate(spec.jobTemplate?.spec ?? {}, errors);
  checkNonNegative(spec.successfulJobsHistoryLimit, path.child('successfulJobsHistoryLimit'), errors);
  checkNonNegative(spec.failedJobsHistoryLimit, path.child('failedJobsHistoryLimit'), errors);
  return errors;
}

function validateSchedule(spec: Spec, old: Spec | undefined, errors: FieldError[]): void {
  const at = path.child('schedule');
  const { schedule = '' } = spec;
  if (schedule === '') {
    errors.push(required(at));
    return;
  }
  const problem = scheduleProblem(schedule);
  if (problem !== undefined) errors.push(invalid(at, schedule, problem));
  if (!schedule.includes('TZ')) return;
  const hadZone = old?.schedule?.includes('TZ') ?? false;
  if (!hadZone) {
    const detail = 'cannot use TZ or CRON_TZ in schedule, use timeZone field instead';
    errors.push(invalid(at, schedule, detail));
  } else if (spec.timeZone !== undefined)
    errors.push(invalid(at, schedule, 'cannot use both timeZone field and TZ or CRON_TZ in schedule'));
}

function validateTimeZone(zone: string | undefined, at: FieldPath, errors: FieldError[]): void {
  if (zone === undefined) return;
  if (zone === '') {
    errors.push(invalid(at, zone, 'timeZone must be nil or non-empty string'));
    return;
  }
  const odd = zone
    .split('/')
    .some((part) => part === '.' || part === '..' || part.startsWith('-') || !/^[A-Za-z.\-_0-9+]{1,14}$/.test(part));
  if (odd) {
    errors.push(invalid(at, zone, `unknown time zone ${zone}`));
    return;
  }
  if (zone.toLowerCase() === 'local') {
    const detail = 'timeZone must be an explicit time zone as defined in https://www.iana.org/time-zones';
    errors.push(invalid(at, zone, detail));
  }
  const problem = timeZoneProblem(zone);
  if (problem !== undefined) errors.push(invalid(at, zone, problem));
}

function validateTemplate(spec: Partial<JobSpec>, errors: FieldError[]): void {
  validateJobSpec(spec, jobPath, errors);
  if (spec.selector)
    errors.push(
      invalid(jobPath.child('selector'), printableSelector(spec.selector), '`selector` will be auto-generated'),
    );
  if (spec.manualSelector) errors.push(notSupported(jobPath.child('manualSelector'), true, ['nil', 'false']));
}

function printBoolean(value: boolean | undefined): string {
  if (value === undefined) return '<unset>';
  return value ? 'True' : 'False';
}

export const cronJobStrategy: KindStrategy<CronJob> = {
  default: defaultCronJob,
  prepareForCreate(cronJob) {
    resetStatus(cronJob);
    prepareTemplate(cronJob.spec?.jobTemplate?.spec?.template);
  },
  prepareForUpdate(cronJob, old) {
    keepStatus(cronJob, old);
    prepareTemplate(cronJob.spec?.jobTemplate?.spec?.template, old.spec?.jobTemplate?.spec?.template);
  },
  validateCreate(cronJob) {
    const errors = validateSpec(specOf(cronJob), undefined);
    const { name = '' } = cronJob.metadata;
    // Eleven characters are left for the time that the names of its Jobs end with.
    if (name.length > 52) errors.push(invalid('metadata.name', name, 'must be no more than 52 characters'));
    return errors;
  },
  validateUpdate: (cronJob, old) => validateSpec(specOf(cronJob), specOf(old)),
  subresources: { status: {} },
  warnings(cronJob, old) {
    const changed = !old || !equalJson(cronJob.spec, old.spec);
    const advice = changed ? jobSpecWarnings(jobSpecOf(cronJob), jobPath) : [];
    if (!old) return [...podNameWarnings(cronJob.metadata.name), ...advice];
    if (specOf(cronJob).schedule?.includes('TZ'))
      advice.push(
        'cannot use TZ or CRON_TZ in spec.spec.schedule, use timeZone instead, see https://kubernetes.io/docs/concepts/workloads/controllers/cron-jobs/ for more details',
      );
    return advice;
  },
  table: {
    columns: cronJobColumns,
    row(cronJob, context) {
      const { schedule = '', timeZone, suspend } = specOf(cronJob);
      const { active = [], lastScheduleTime } = cronJob.status ?? {};
      return [
        nameOf(cronJob),
        schedule,
        timeZone ?? '<none>',
        printBoolean(suspend),
        active.length,
        lastScheduleTime === undefined ? '<none>' : since(lastScheduleTime, context.now),
        ageOf(cronJob, context),
        ...containerCells(jobSpecOf(cronJob).template?.spec?.containers),
        formatLabelSelector(jobSpecOf(cronJob).selector),
      ];
    },
  },
  generationChanged: (cronJob, old) => !equalJson(cronJob.spec, old.spec),
};
