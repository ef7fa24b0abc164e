import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { diffLines } from './diff-lines.ts';

describe('diffLines', () => {
  it('shows what changed, with a few lines around it', () => {
    const before = Array.from({ length: 20 }, (_, index) => `line ${index}`);
    const after = before.with(10, 'changed');
    const shown = diffLines(before.join('\n'), after.join('\n'));
    expect(shown.map(({ type, text }) => `${type} ${text}`)).toEqual([
      'gap …',
      'same line 7',
      'same line 8',
      'same line 9',
      'removed line 10',
      'added changed',
      'same line 11',
      'same line 12',
      'same line 13',
      'gap …',
    ]);
    expect(diffLines('a', 'a')).toEqual([]);
  });

  it('never loses a line, whatever the texts are', () => {
    const text = fc.array(fc.constantFrom('a', 'b', 'c', 'd'), { maxLength: 7 });
    fc.assert(
      fc.property(text, text, (before, after) => {
        // So short that nothing is left out.
        const lines = diffLines(before.join('\n'), after.join('\n')).filter(({ type }) => type !== 'gap');
        const side = (skip: string) => lines.filter(({ type }) => type !== skip).map((line) => line.text);
        if (before.join('\n') === after.join('\n')) return lines.length === 0;
        const kept = (whole: readonly string[], part: readonly string[]) => whole.join('').includes(part.join(''));
        return kept(before, side('added')) && kept(after, side('removed'));
      }),
    );
  });
});
