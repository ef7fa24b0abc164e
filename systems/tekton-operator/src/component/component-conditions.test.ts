import { findCondition, knativeConditionSet } from '@tektite/meta';
import { expect, it } from 'vitest';
import { markConditions } from './component-conditions.ts';

const set = knativeConditionSet('Ready', ['PreReconciler', 'InstallerSetReady']);
const [then, now] = ['2026-01-01T00:00:00Z', '2026-01-02T00:00:00Z'];

it('is Unknown in all parts before anything was decided', () => {
  const conditions = markConditions(set, undefined, [], now);
  expect(conditions.map(({ type, status }) => [type, status])).toEqual([
    ['InstallerSetReady', 'Unknown'],
    ['PreReconciler', 'Unknown'],
    ['Ready', 'Unknown'],
  ]);
});

it('is Ready when all parts are, and not Ready with the reason of one that is not', () => {
  const ready = markConditions(set, undefined, [{ isTrue: 'PreReconciler' }, { isTrue: 'InstallerSetReady' }], then);
  expect(set.isHappy(ready)).toBe(true);
  const broken = markConditions(set, ready, [{ isFalse: 'InstallerSetReady', message: 'no image' }], now);
  expect(findCondition(broken, 'Ready')).toMatchObject({ status: 'False', reason: 'Error', message: 'no image' });
  expect(findCondition(broken, 'PreReconciler')).toMatchObject({ status: 'True', lastTransitionTime: then });
});

it('marks the whole as not ready without touching its parts', () => {
  const conditions = markConditions(set, undefined, [{ notReady: 'Upgrade Pending' }], now);
  expect(findCondition(conditions, 'Ready')).toMatchObject({ status: 'False', message: 'Ready: Upgrade Pending' });
  expect(findCondition(conditions, 'PreReconciler')?.status).toBe('Unknown');
});

it('drops what was before a reset', () => {
  const before = markConditions(set, undefined, [{ isTrue: 'InstallerSetReady' }], then);
  const marks = [{ isReset: true } as const, { isFalse: 'PreReconciler', message: 'started', reason: 'Performing' }];
  const conditions = markConditions(set, before, marks, now);
  expect(conditions.map(({ type }) => type)).toEqual(['PreReconciler', 'Ready']);
});
