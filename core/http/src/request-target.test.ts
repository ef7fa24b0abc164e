import { expect, it } from 'vitest';
import { parseTarget } from './request-target.ts';

it.each([
  ['/healthz', '/healthz', ''],
  ['//', '//', ''],
  ['/a?b=c?d', '/a', 'b=c%3Fd'],
  ['http://host:1/metrics?x', '/metrics', 'x='],
  ['/../../etc', '/../../etc', ''],
  ['/%', '/%', ''],
])('reads %s', (target, path, query) => {
  const parsed = parseTarget(target);
  expect([parsed?.path, parsed?.query.toString()]).toEqual([path, query]);
});

it.each([undefined, '', '*', 'host:443', '?x', 'http://host'])('finds no path in %s', (target) => {
  expect(parseTarget(target)).toBeUndefined();
});
