import { describe, expect, it } from 'vitest';
import { type Condition, isConditionTrue, removeCondition, setCondition } from './condition.ts';
import { knativeConditionSet } from './knative-condition.ts';

const [t1, t2, t3] = ['2024-01-01T00:00:01Z', '2024-01-01T00:00:02Z', '2024-01-01T00:00:03Z'];

describe('setCondition', () => {
  const ready: Condition = { type: 'Ready', status: 'True', reason: 'A', lastTransitionTime: t1 };

  it('keeps the time while the status stays', () => {
    expect(setCondition([ready], { type: 'Ready', status: 'True', reason: 'B' }, t2)).toEqual([
      { ...ready, reason: 'B' },
    ]);
  });

  it('moves the time with the status', () => {
    const [changed] = setCondition([ready], { type: 'Ready', status: 'False', reason: 'A' }, t2);
    expect(changed).toEqual({ type: 'Ready', status: 'False', reason: 'A', lastTransitionTime: t2 });
  });

  it('gives the same list back when nothing changes', () => {
    const list = [ready];
    expect(setCondition(list, { type: 'Ready', status: 'True', reason: 'A' }, t2)).toBe(list);
    expect(removeCondition(list, 'Other')).toBe(list);
  });

  it('appends a new condition and removes one', () => {
    const list = setCondition([ready], { type: 'Synced', status: 'False' }, t2);
    expect(list).toHaveLength(2);
    expect(isConditionTrue(list, 'Ready')).toBe(true);
    expect(removeCondition(list, 'Ready')).toEqual([{ type: 'Synced', status: 'False', lastTransitionTime: t2 }]);
  });
});

describe('a Knative condition set', () => {
  const set = knativeConditionSet('Ready', ['B', 'A']);
  const summary = (conditions: readonly { type: string; status: string }[]) =>
    conditions.map(({ type, status }) => `${type}=${status}`).join(' ');

  it('starts unknown and sorted by type', () => {
    expect(summary(set.initialize([], t1))).toBe('A=Unknown B=Unknown Ready=Unknown');
  });

  it('is happy when all it depends on is true', () => {
    let conditions = set.markTrue(set.initialize([], t1), 'A', t2);
    expect(summary(conditions)).toBe('A=True B=Unknown Ready=Unknown');
    conditions = set.markTrue(conditions, 'B', t2);
    expect(summary(conditions)).toBe('A=True B=True Ready=True');
    expect(set.isHappy(conditions)).toBe(true);
  });

  it('fails with the dependent that fails, and takes its words', () => {
    const conditions = set.markFalse(set.initialize([], t1), 'A', t2, { reason: 'Broken', message: 'no' });
    expect(conditions.at(-1)).toEqual({
      type: 'Ready',
      status: 'False',
      reason: 'Broken',
      message: 'no',
      lastTransitionTime: t2,
    });
    expect(summary(set.markUnknown(conditions, 'B', t3))).toBe('A=False B=Unknown Ready=False');
    expect(summary(set.markTrue(conditions, 'A', t3))).toBe('A=True B=Unknown Ready=Unknown');
  });

  it('does not let an informational condition decide', () => {
    const conditions = set.markFalse(set.initialize([], t1), 'Nice', t2);
    expect(summary(conditions)).toBe('A=Unknown B=Unknown Nice=False Ready=Unknown');
    expect(conditions[2]).toMatchObject({ severity: 'Info' });
  });

  it('does not touch a condition that says the same', () => {
    const conditions = set.markTrue(set.initialize([], t1), 'A', t2);
    expect(set.markTrue(conditions, 'A', t3)).toBe(conditions);
  });
});
