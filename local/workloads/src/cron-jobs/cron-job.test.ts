import { kinds, mergePatch } from '@tektite/client';
import type { CronJob } from '@tektite/schema/kubernetes';
import { describe, expect, it } from 'vitest';
import { testCluster, type TestCluster } from '../test-support.ts';
import { parseSchedule } from './schedule.ts';

const key = { namespace: 'default', name: 'tick' };
const minute = 60_000;

function cronJob(spec: Partial<NonNullable<CronJob['spec']>> = {}) {
  const template = { spec: { restartPolicy: 'Never', containers: [{ name: 'main', image: 'busybox' }] } };
  return { metadata: key, spec: { schedule: '* * * * *', jobTemplate: { spec: { template } }, ...spec } };
}

const jobNames = async ({ client }: TestCluster) =>
  (await client.list(kinds.Job)).items.map(({ metadata }) => metadata.name);
const reasons = async ({ client }: TestCluster) =>
  (await client.list(kinds.Event)).items
    .filter(({ source }) => source?.component === 'cronjob-controller')
    .map(({ reason }) => reason);

describe('a CronJob', () => {
  it('starts a Job each time, named after the minute, and keeps the last three', async () => {
    await using cluster = await testCluster({ script: () => ({ exitCode: 0, afterMs: 5000 }) });
    await cluster.client.create(kinds.CronJob, cronJob());
    await cluster.settle(5 * minute);
    const last = Math.floor(cluster.clock.now() / minute);
    await cluster.settle(30_000);
    expect(await jobNames(cluster)).toEqual([last - 2, last - 1, last].map((time) => `tick-${time}`));
    const { status } = await cluster.client.get(kinds.CronJob, key);
    expect(Date.parse(status?.lastScheduleTime ?? '')).toBe(last * minute);
    expect(status?.lastSuccessfulTime).toBeDefined();
    expect(status).not.toHaveProperty('active');
    expect(await reasons(cluster)).toEqual(
      expect.arrayContaining(['SuccessfulCreate', 'SawCompletedJob', 'SuccessfulDelete']),
    );
  });

  it.each([
    ['Allow', 3],
    ['Forbid', 1],
    ['Replace', 1],
  ])('with %s has %i Jobs when they take longer than a minute', async (concurrencyPolicy, count) => {
    await using cluster = await testCluster();
    await cluster.client.create(kinds.CronJob, cronJob({ concurrencyPolicy }));
    await cluster.settle(3 * minute + 10_000);
    expect(await jobNames(cluster)).toHaveLength(count);
    expect((await cluster.client.get(kinds.CronJob, key)).status?.active).toHaveLength(count);
  });

  it('does nothing while it is suspended, and what was missed then only once', async () => {
    await using cluster = await testCluster({ script: () => ({ exitCode: 0 }) });
    await cluster.client.create(kinds.CronJob, cronJob({ suspend: true }));
    await cluster.settle(5 * minute);
    expect(await jobNames(cluster)).toEqual([]);
    await cluster.client.patch(kinds.CronJob, key, mergePatch({ spec: { suspend: false } }));
    await cluster.settle(1000);
    expect(await jobNames(cluster)).toHaveLength(1);
  });

  it.each([
    ['0 12 * * *', 'Asia/Tokyo', '2026-01-01T00:00:00Z', '2026-01-01T03:00:00Z'],
    ['@hourly', undefined, '2026-01-01T00:30:00Z', '2026-01-01T01:00:00Z'],
    ['@every 90m', undefined, '2026-01-01T00:30:00Z', '2026-01-01T02:00:00Z'],
    ['0 0 13 * 5', undefined, '2026-01-03T00:00:00Z', '2026-01-09T00:00:00Z'],
    ['0 0 ? * MON', undefined, '2026-01-01T00:00:00Z', '2026-01-05T00:00:00Z'],
  ])('reads %s in %s', (schedule, timeZone, from, expected) => {
    const next = parseSchedule(schedule, timeZone).after(Date.parse(from));
    expect(new Date(next ?? 0).toISOString()).toBe(expected.replace('Z', '.000Z'));
  });
});
