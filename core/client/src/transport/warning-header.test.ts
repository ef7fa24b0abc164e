import { expect, it } from 'vitest';
import { parseWarnings } from './warning-header.ts';

it.each([
  [['299 - "unknown field \\"a\\""'], ['unknown field "a"']],
  [['299 - "one", 299 - "two, with a comma"'], ['one', 'two, with a comma']],
  [
    ['299 - "one"', '299 kube "two"'],
    ['one', 'two'],
  ],
  [['299 - "dated" "Sat, 25 Aug 2012 23:34:45 GMT", 299 - "next"'], ['dated', 'next']],
  [['199 - "not for us"', 'nonsense', '299 - "never closed', ''], []],
])('reads %j', (headers, texts) => {
  expect(parseWarnings(headers)).toEqual(texts);
});
