import type { DynamicObject } from '@tektite/meta';
import { describe, expect, it } from 'vitest';
import { healthRules, readHealthChecks } from './health-rules.ts';
import { objectStatus } from './object-status.ts';

const rules = healthRules([
  {
    apiVersion: 'example.com/v1',
    kind: 'Database',
    inProgress: "has(status.phase) && status.phase == 'Starting'",
    failed: "status.conditions.exists(c, c.type == 'Lost' && c.status == 'True')",
    current: "status.phase == 'Running' && status.replicas >= spec.replicas",
  },
]);
const database = (status?: object): DynamicObject => ({
  apiVersion: 'example.com/v1beta1',
  kind: 'Database',
  metadata: { name: 'db' },
  spec: { replicas: 2 },
  ...(status ? { status } : {}),
});

describe('health by expressions', () => {
  it.each([
    ['an object that was not observed', undefined, 'InProgress', 'NotCurrent'],
    [
      'one that starts',
      { phase: 'Starting', conditions: [{ type: 'Lost', status: 'True' }] },
      'InProgress',
      'InProgress',
    ],
    ['one that is lost', { phase: 'Odd', conditions: [{ type: 'Lost', status: 'True' }] }, 'Failed', 'Failed'],
    ['one that runs with too few', { phase: 'Running', replicas: 1 }, 'InProgress', 'NotCurrent'],
    ['one that runs', { phase: 'Running', replicas: 2 }, 'Current', ''],
  ])('reports the status of %s', (_what, status, expected, reason) => {
    expect(objectStatus(database(status), { now: 0, rules })).toMatchObject({ status: expected, reason });
  });

  it('says which expression cannot be used, and why', () => {
    const check = { apiVersion: 'example.com/v1', kind: 'Database' };
    expect(() => healthRules([{ ...check, current: 'status.phase ==' }])).toThrow(
      /the expression current for Database \(example.com\/v1\) cannot be used: .*Syntax error/s,
    );
    expect(() => readHealthChecks([{ ...check, current: 'true' }, check])).toThrow('health check 2 has no current');
    expect(readHealthChecks({ ...check, current: 'true' })).toHaveLength(1);
  });
});
