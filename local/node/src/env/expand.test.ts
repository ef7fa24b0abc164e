import { expect, test } from 'vitest';
import { expand } from './expand.ts';

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
