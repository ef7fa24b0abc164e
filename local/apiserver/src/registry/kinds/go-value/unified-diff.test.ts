import { expect, it } from 'vitest';
import { unifiedDiff } from './unified-diff.ts';

const lines = (...list: string[]): string => list.join('\n');

it.each([['nothing', 'a\nb', 'a\nb', '']])(
  'says nothing about texts that are equal (%s)',
  (_, before, after, expected) => {
    expect(unifiedDiff(before, after).replace(/^ .*\n?/gm, '')).toBe(expected);
  },
);

it('marks what went and what came, with lines around it', () => {
  const diff = unifiedDiff(
    lines('1', '2', '3', '4', '5', '6', '7', '8', '9'),
    lines('1', '2', '3', '4', 'x', '6', '7', '8', '9'),
  );
  const marked = diff.split('\n').filter((line) => /^[-+](?![-+])/.test(line));
  expect(marked).toEqual(['-5', '+x']);
  expect(diff).not.toContain(' 1\n');
  expect(diff).toContain(' 2\n');
});
