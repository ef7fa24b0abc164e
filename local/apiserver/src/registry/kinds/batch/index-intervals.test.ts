import { expect, it } from 'vitest';
import { overlapOf, parseIndexes } from './index-intervals.ts';

it.each([
  ['1,3-5', { total: 4 }],
  ['0', { total: 1 }],
  ['', { total: 0 }],
  ['5-', { total: 0, problem: 'cannot convert string to integer for index: ""' }],
  ['1,x', { total: 0, problem: 'cannot convert string to integer for index: "x"' }],
  ['3-1', { total: 0, problem: 'non-increasing order, previous: 3, current: 1' }],
  ['10', { total: 0, problem: 'too large index: "10"' }],
])('reads %j of ten indexes', (text, expected) => expect(parseIndexes(text, 10)).toEqual(expected));

it('finds what two lists share', () => {
  expect(overlapOf('1-3', '3-5', 10)).toBe(3);
  expect(overlapOf('1-2', '4', 10)).toBeUndefined();
});
