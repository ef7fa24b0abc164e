import { expect, it } from 'vitest';
import { formatWithoutArguments } from './format-without-arguments.ts';

it.each([
  ['nothing', 'nothing'],
  ['100%', '100%!(NOVERB)'],
  ['100% of it', '100%!o(MISSING)f it'],
  ['a%20b', 'a%!b(MISSING)'],
  ['a%2Fb', 'a%!F(MISSING)b'],
  ['%%', '%'],
  ['%*d', '%!(BADWIDTH)%!d(MISSING)'],
])('%s is printed as %s', (text, printed) => {
  expect(formatWithoutArguments(text)).toBe(printed);
});
