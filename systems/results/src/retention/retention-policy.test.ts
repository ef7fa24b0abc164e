import { describe, expect, it } from 'vitest';
import { parseRetentionPolicy } from './retention-policy.ts';

const day = 86_400_000;
const everything = { namespaces: [], labels: {}, annotations: {}, statuses: [] };

describe('the retention policy', () => {
  it('keeps everything for thirty days unless it says otherwise', () => {
    expect(parseRetentionPolicy({})).toEqual({
      runAt: '7 7 * * 7',
      rules: [{ ...everything, retentionMs: 30 * day }],
    });
  });

  it('reads days, with and without a unit, and durations of Go', () => {
    const retention = (text: string) => parseRetentionPolicy({ defaultRetention: text }).rules[0]?.retentionMs;
    expect([retention('7'), retention('7d'), retention('36h')]).toEqual([7 * day, 7 * day, 1.5 * day]);
    expect(() => retention('soon')).toThrow(/^incorrect configuration for defaultRetention: /);
    expect(parseRetentionPolicy({ maxRetention: '1', defaultRetention: '2' }).rules[0]?.retentionMs).toBe(day);
  });

  it('has rules in their order, and the default last', () => {
    const policies = `
- name: failures
  selector:
    matchNamespaces: [ci]
    matchLabels: { app: [shop, web] }
    matchStatuses: [Failed]
  retention: 90d
- name: rest
  selector: {}
  retention: 12h`;
    expect(parseRetentionPolicy({ policies, defaultRetention: '1' }).rules).toEqual([
      {
        namespaces: ['ci'],
        labels: { app: ['shop', 'web'] },
        annotations: {},
        statuses: ['Failed'],
        retentionMs: 90 * day,
      },
      { ...everything, retentionMs: day / 2 },
      { ...everything, retentionMs: day },
    ]);
    expect(() => parseRetentionPolicy({ policies: 'no: list' })).toThrow('failed to unmarshal policies');
  });
});
