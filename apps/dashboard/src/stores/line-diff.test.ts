import fc from 'fast-check';
import { expect, it } from 'vitest';
import { diffHunks, lineDiff } from './line-diff.ts';

const text = fc.array(fc.constantFrom('a', 'b', 'c', ''), { maxLength: 12 }).map((lines) => lines.join('\n'));

it('has the lines of both texts, each in its order', () => {
  fc.assert(
    fc.property(text, text, (before, after) => {
      const lines = lineDiff(before, after);
      const of = (not: string) =>
        lines
          .filter(({ kind }) => kind !== not)
          .map((line) => line.text)
          .join('\n');
      expect([of('added'), of('removed')]).toEqual([before, after]);
    }),
  );
});

it('shows changes with the lines around them', () => {
  const before = Array.from({ length: 20 }, (_, index) => `${index}`).join('\n');
  const hunks = diffHunks(lineDiff(before, before.replace('10', 'x')), 1);
  expect(hunks.map((line) => line && `${line.kind} ${line.text}`)).toEqual([
    undefined,
    'same 9',
    'removed 10',
    'added x',
    'same 11',
    undefined,
  ]);
});
