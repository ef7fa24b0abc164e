import { describe, expect, it } from 'vitest';
import { formatIndexes, parseIndexes } from './completion-indexes.ts';

describe('indexes in short form', () => {
  it.each([
    [[], ''],
    [[3], '3'],
    [[2, 1], '1,2'],
    [[0, 1, 2, 4, 6, 7], '0-2,4,6,7'],
  ])('join neighbours of %j', (indexes, text) => {
    expect(formatIndexes(indexes)).toBe(text);
    expect([...parseIndexes(text, 100)].sort((a, b) => a - b)).toEqual(indexes.toSorted((a, b) => a - b));
  });

  it('never count more than there are, nor nonsense', () => {
    expect([...parseIndexes('1-999999999,x,-3,2-', 3)]).toEqual([1, 2]);
  });
});
