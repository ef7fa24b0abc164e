import { describe, expect, it } from 'vitest';
import { defaultElectionConfig, readElectionConfig } from './election-config.ts';
import { checkTiming, coreTiming } from './election-timing.ts';

describe('config-leader-election', () => {
  it('has defaults for everything', () => {
    expect(readElectionConfig()).toEqual(defaultElectionConfig);
    expect(readElectionConfig({ _example: 'lease-duration: "1s"' })).toEqual(defaultElectionConfig);
  });

  it('says how long, how often, how many, and under which names', () => {
    const data = {
      'lease-duration': '30s',
      'renew-deadline': '20s',
      'retry-period': '2500ms',
      buckets: '7',
      'map-lease-prefix.controller.queue': 'short',
    };
    expect(readElectionConfig(data)).toEqual({
      leaseDurationMs: 30_000,
      renewDeadlineMs: 20_000,
      retryPeriodMs: 2_500,
      buckets: 7,
      prefixes: { 'controller.queue': 'short' },
    });
  });

  it('knows the older spellings, and prefers the newer', () => {
    const data = { leaseDuration: '1m30s', renewDeadline: '1m', retryPeriod: '5s' };
    expect(readElectionConfig(data)).toMatchObject({ leaseDurationMs: 90_000, renewDeadlineMs: 60_000 });
    expect(readElectionConfig({ ...data, 'lease-duration': '2m' })).toMatchObject({ leaseDurationMs: 120_000 });
  });

  it.each([
    [{ buckets: '0' }, 'buckets: value must be between 1 <= 0 <= 10'],
    [{ buckets: '11' }, 'buckets: value must be between 1 <= 11 <= 10'],
    [{ buckets: 'many' }, 'failed to parse "buckets": "many" is no number'],
    [{ 'lease-duration': 'soon' }, 'failed to parse "lease-duration": time: invalid duration "soon"'],
    [{ 'lease-duration': '40s' }, 'leaseDuration must be greater than renewDeadline'],
    [{ 'lease-duration': '60500ms' }, 'leaseDuration must be a whole number of seconds'],
    [{ 'retry-period': '0s' }, 'retryPeriod must be greater than zero'],
  ])('refuses %j', (data, message) => {
    expect(() => readElectionConfig(data as unknown as Record<string, string>)).toThrow(message);
  });
});

describe('the times of an election', () => {
  it.each([
    [{ retryPeriodMs: -1 }, 'retryPeriod must be greater than zero'],
    [{ retryPeriodMs: Number.NaN }, 'retryPeriod must be greater than zero'],
    [{ retryPeriodMs: 9_000 }, 'renewDeadline must be greater than retryPeriod*1.2'],
    [{ renewDeadlineMs: 15_000 }, 'leaseDuration must be greater than renewDeadline'],
    [{ leaseDurationMs: Number.POSITIVE_INFINITY }, 'leaseDuration must be a whole number of seconds'],
  ])('cannot be %j', (times, message) => {
    expect(() => checkTiming({ ...coreTiming, ...times })).toThrow(message);
  });
});
