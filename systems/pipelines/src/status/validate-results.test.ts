import { expect, it } from 'vitest';
import { checkResults } from './validate-results.ts';

it('keeps results that are as declared, and undeclared ones', () => {
  const results = [
    { name: 'a', type: 'array' as const, value: ['x'] },
    { name: 'other', type: 'string' as const, value: 'v' },
  ];
  expect(checkResults(results, [{ name: 'a', type: 'array' }])).toEqual({ results });
});

it('drops results of another type, and says so of each', () => {
  const right = { name: 'c', type: 'string' as const, value: 'v' };
  const results = [{ name: 'b', type: 'string' as const, value: '[1' }, right, { ...right, name: 'a' }];
  expect(
    checkResults(results, [
      { name: 'a', type: 'object' },
      { name: 'b', type: 'array' },
      { name: 'c', type: 'string' },
    ]),
  ).toEqual({
    results: [right],
    violation:
      'Provided results don\'t match declared results; may be invalid JSON or missing result declaration:  "a": task result is expected to be "object" type but was initialized to a different type "string", "b": task result is expected to be "array" type but was initialized to a different type "string"',
  });
});

it('says which keys of objects are missing', () => {
  const results = [{ name: 'o', type: 'object' as const, value: { b: '1' } }];
  const declared = [{ name: 'o', type: 'object' as const, properties: { c: {}, a: {}, b: {} } }];
  expect(checkResults(results, declared)).toEqual({
    results,
    violation: "missing keys for these results which are required in TaskResult's properties map[o:[a c]]",
  });
});

it('misses a key once for each time that the result is declared', () => {
  const results = [{ name: 'o', type: 'object' as const, value: {} }];
  const declared = { name: 'o', type: 'object' as const, properties: { b: {}, a: {} } };
  expect(checkResults(results, [declared, declared]).violation).toContain('map[o:[a b a b]]');
});
