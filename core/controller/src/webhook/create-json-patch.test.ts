import { equalJson } from '@tektite/meta';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { applyOperations } from './test-support.ts';
import { createJsonPatch } from './create-json-patch.ts';

describe('a patch between two objects', () => {
  test.each([
    ['nothing changed', { a: [1, { b: 2 }] }, { a: [1, { b: 2 }] }, []],
    ['a field was added', { spec: {} }, { spec: { size: 1 } }, [{ op: 'add', path: '/spec/size', value: 1 }]],
    ['a field went', { a: 1, b: 2 }, { b: 2 }, [{ op: 'remove', path: '/a' }]],
    ['a field that is undefined went', { a: 1 }, { a: undefined }, [{ op: 'remove', path: '/a' }]],
    ['a value changed', { a: { b: 1 } }, { a: { b: '1' } }, [{ op: 'replace', path: '/a/b', value: '1' }]],
    ['null became a value', { a: null }, { a: 0 }, [{ op: 'replace', path: '/a', value: 0 }]],
    ['a map became a list', { a: {} }, { a: [] }, [{ op: 'replace', path: '/a', value: [] }]],
    ['names have slashes and tildes', { a: {} }, { a: { 'x/y~z': 1 } }, [{ op: 'add', path: '/a/x~1y~0z', value: 1 }]],
    ['an element came first', { l: [1, 2] }, { l: [0, 1, 2] }, [{ op: 'add', path: '/l/0', value: 0 }]],
    ['an element came last', { l: [1] }, { l: [1, 2] }, [{ op: 'add', path: '/l/1', value: 2 }]],
    [
      'elements went',
      { l: [1, 2, 3, 4] },
      { l: [1, 4] },
      [
        { op: 'remove', path: '/l/2' },
        { op: 'remove', path: '/l/1' },
      ],
    ],
    [
      'an element changed inside',
      { l: [{ n: 'a' }, { n: 'b' }] },
      { l: [{ n: 'a' }, { n: 'b', v: 1 }] },
      [{ op: 'add', path: '/l/1/v', value: 1 }],
    ],
  ])('is as small as it can be when %s', (_, before, after, operations) => {
    expect(createJsonPatch(before, after)).toEqual(operations);
  });

  test('makes the one of the other, whatever they are', () => {
    const object = fc.dictionary(fc.string({ maxLength: 3 }), fc.jsonValue({ maxDepth: 3 }), { maxKeys: 5 });
    fc.assert(
      fc.property(object, object, (before, after) => {
        expect(equalJson(applyOperations(before, createJsonPatch(before, after)), after)).toBe(true);
      }),
      { numRuns: 500 },
    );
  });

  test('makes the one of the other when a few things changed deep inside', () => {
    const leaf = fc.record({ name: fc.constantFrom('a', 'b', 'c'), value: fc.option(fc.nat(3)) }, { requiredKeys: [] });
    const object = fc.record({ spec: fc.record({ steps: fc.array(leaf, { maxLength: 6 }) }) });
    fc.assert(
      fc.property(object, object, (before, after) => {
        expect(equalJson(applyOperations(before, createJsonPatch(before, after)), after)).toBe(true);
      }),
      { numRuns: 500 },
    );
  });

  test('names whole fields when there would be too many steps', () => {
    const before = {
      metadata: { name: 'a' },
      data: Object.fromEntries(Array.from({ length: 2000 }, (_, at) => [at, 0])),
    };
    const after = { ...before, data: Object.fromEntries(Array.from({ length: 2000 }, (_, at) => [at, 1])) };
    expect(createJsonPatch(before, after)).toEqual([{ op: 'replace', path: '/data', value: after.data }]);
  });
});
