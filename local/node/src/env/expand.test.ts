import { expect, test } from 'vitest';
import { expand, expandAll } from './expand.ts';

const variables = new Map([
  ['A', 'a'],
  ['EMPTY', ''],
  ['REF', '$(A)'],
  ['with space', 'x'],
]);

test.each([
  ['nothing', 'nothing'],
  ['$(A)', 'a'],
  ['<$(A)$(A)>', '<aa>'],
  ['$(NONE)', '$(NONE)'],
  ['$$(A)', '$(A)'],
  ['$$$(A)', '$a'],
  ['$$$$(A)', '$$(A)'],
  ['$(EMPTY)!', '!'],
  ['$(REF)', '$(A)'],
  ['$(A', '$(A'],
  ['$A $ $', '$A $ $'],
  ['$()', '$()'],
  ['$($(A))', '$($(A))'],
  ['$(with space)', 'x'],
])('%j becomes %j', (text, expected) => {
  expect(expand(text, variables)).toBe(expected);
});

test('variables that name others twice end where no program could be given more', () => {
  const grown = new Map([['V0', 'x'.repeat(1000)]]);
  const grow = () => {
    for (let i = 1; i < 40; i++) grown.set(`V${i}`, expand(`$(V${i - 1})$(V${i - 1})`, grown));
  };
  expect(grow).toThrow('argument list too long');
  expect(grown.size).toBeLessThan(15);
});

test('words are no more together than a program can be given', () => {
  const long = new Map([['LONG', 'x'.repeat(100_000)]]);
  const words = (count: number) => Array.from({ length: count }, () => '$(LONG)');
  expect(expandAll(words(10), long)).toHaveLength(10);
  expect(() => expandAll(words(1000), long)).toThrow('argument list too long');
});
