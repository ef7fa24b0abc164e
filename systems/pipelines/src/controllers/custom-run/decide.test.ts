import { describe, expect, it } from 'vitest';
import type { CustomRun } from '../../kinds/custom-run.ts';
import { advanced, startedStatus, terminated } from './decide.ts';

const now = Date.parse('2026-01-01T12:00:00Z');
const run = (spec: object = {}, status: object = {}): CustomRun =>
  ({ apiVersion: 'tekton.dev/v1beta1', kind: 'CustomRun', metadata: { name: 'c' }, spec, status }) as CustomRun;
const running = { startTime: '2026-01-01T11:59:00Z' };

it('starts a CustomRun once', () => {
  expect(startedStatus(run(), now)).toMatchObject({
    startTime: '2026-01-01T12:00:00Z',
    conditions: [{ type: 'Succeeded', status: 'Unknown', reason: 'Started' }],
  });
  expect(startedStatus(run({}, running), now)).toBe(running);
});

describe('terminated', () => {
  it('completes a cancelled CustomRun', () => {
    expect(terminated(run({ status: 'RunCancelled', statusMessage: 'by hand' }), running, now)?.status).toMatchObject({
      completionTime: '2026-01-01T12:00:00Z',
      conditions: [{ status: 'False', reason: 'CustomRunCancelled', message: 'CustomRun "c" was cancelled. by hand' }],
    });
  });

  it('fails one that exceeds its timeout, and retries it while it has retries', () => {
    const late = terminated(run({ timeout: '30s' }), running, now);
    expect(late?.status.conditions).toMatchObject([{ reason: 'CustomRunTimedOut' }]);
    const retried = terminated(run({ timeout: '30s', retries: 1 }), running, now);
    expect(retried).toMatchObject({
      requeueMs: 0,
      status: { conditions: [{ reason: 'Retrying' }], retriesStatus: [{ startTime: running.startTime }] },
    });
  });

  it('leaves one alone that has time left, or no timeout', () => {
    expect(terminated(run({ timeout: '2m' }), running, now)).toBeUndefined();
    expect(terminated(run({ timeout: '0s' }), running, now)).toBeUndefined();
  });
});

describe('advanced', () => {
  it('requeues a running one after its delay, and at its timeout at the latest', () => {
    const progress = { state: 'running', requeueMs: 90_000 } as const;
    expect(advanced(run({ timeout: '1h' }), running, progress, now).requeueMs).toBe(90_000);
    expect(advanced(run({ timeout: '2m' }), running, progress, now).requeueMs).toBe(60_000);
  });

  it('keeps the results of one that succeeded', () => {
    const results = [{ name: 'r', value: '1' }];
    expect(advanced(run(), running, { state: 'succeeded', results }, now).status).toMatchObject({
      results,
      conditions: [{ status: 'True', reason: 'Succeeded' }],
    });
  });

  it('fails one for good when its retries are used up', () => {
    const failed = { state: 'failed', reason: 'Bad', message: 'no' } as const;
    const before = { ...running, retriesStatus: [running] };
    expect(advanced(run({ retries: 1 }), before, failed, now).status.conditions).toMatchObject([{ reason: 'Bad' }]);
  });
});
