import type { CronJob } from '@tektite/schema/kubernetes';
import { describe, expect, it } from 'vitest';
import { missedTimes, startDecision } from './decide.ts';
import { parseSchedule } from './schedule.ts';

const minute = 60_000;
const day = 24 * 60 * minute;
const noon = Date.parse('2026-01-02T12:00:30Z');
const everyMinute = parseSchedule('* * * * *', undefined);

function cronJob(lastScheduleTime: number, spec: object = {}): CronJob {
  return {
    apiVersion: 'batch/v1',
    kind: 'CronJob',
    metadata: { name: 'tick', creationTimestamp: new Date(noon - 2 * day).toISOString() },
    spec: { schedule: '* * * * *', ...spec },
    status: { lastScheduleTime: new Date(lastScheduleTime).toISOString() },
  } as CronJob;
}

describe('a CronJob after the clock jumped', () => {
  it('forward by a day starts one Job, for the newest time, and warns of the missed ones', () => {
    const { last, many, next } = missedTimes(cronJob(noon - day - 30_000), everyMinute, noon);
    expect([last, many, next]).toEqual([noon - 30_000, true, noon + 30_000]);
  });

  it('forward, with a deadline, counts only the times within it', () => {
    const job = cronJob(noon - day - 30_000, { startingDeadlineSeconds: 200 });
    expect(missedTimes(job, everyMinute, noon)).toMatchObject({ last: noon - 30_000, many: false });
    expect(startDecision(job, noon - 30_000, noon, 0)).toBe('start');
    expect(startDecision(job, noon - 201_000, noon, 0)).toBe('tooLate');
  });

  it('back starts nothing again, and goes on with the next time after the last one', () => {
    const { last, many, next } = missedTimes(cronJob(noon + day - 30_000), everyMinute, noon);
    expect([last, many, next]).toEqual([undefined, false, noon + 30_000]);
  });

  it('back to a time that had its Job does not start a second one', () => {
    const job = cronJob(noon - 30_000);
    expect(startDecision(job, noon - 30_000, noon, 0)).toBe('known');
  });
});
