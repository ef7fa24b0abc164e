import { isStatusError, StatusError } from '@tektite/meta';
import { describe, expect, it } from 'vitest';
import { applyJsonPatch } from './json-patch.ts';

function failureOf(document: unknown, patch: unknown): { code: number; reason: string | undefined; cause: string } {
  try {
    applyJsonPatch(document, patch);
  } catch (error) {
    if (!(error instanceof StatusError)) throw error;
    return { code: error.code, reason: error.status.reason, cause: (error.cause as Error | undefined)?.message ?? '' };
  }
  throw new Error('it did not fail');
}

describe('a JSON patch', () => {
  it.each<[string, unknown, unknown[], unknown]>([
    ['adds a member', { foo: 'bar' }, [{ op: 'add', path: '/baz', value: 'qux' }], { foo: 'bar', baz: 'qux' }],
    [
      'adds an element',
      { foo: ['bar', 'baz'] },
      [{ op: 'add', path: '/foo/1', value: 'qux' }],
      { foo: ['bar', 'qux', 'baz'] },
    ],
    ['adds at the end', { foo: ['bar'] }, [{ op: 'add', path: '/foo/-', value: ['abc'] }], { foo: ['bar', ['abc']] }],
    [
      'adds at the index after the last',
      { foo: ['bar'] },
      [{ op: 'add', path: '/foo/1', value: 'x' }],
      { foo: ['bar', 'x'] },
    ],
    ['replaces what it adds again', { foo: 1 }, [{ op: 'add', path: '/foo', value: 2 }], { foo: 2 }],
    [
      'adds a nested object',
      { foo: 'bar' },
      [{ op: 'add', path: '/child', value: { grandchild: {} } }],
      { foo: 'bar', child: { grandchild: {} } },
    ],
    ['adds null', {}, [{ op: 'add', path: '/foo', value: null }], { foo: null }],
    ['removes a member', { baz: 'qux', foo: 'bar' }, [{ op: 'remove', path: '/baz' }], { foo: 'bar' }],
    ['removes an element', { foo: ['bar', 'qux', 'baz'] }, [{ op: 'remove', path: '/foo/1' }], { foo: ['bar', 'baz'] }],
    [
      'replaces a value',
      { baz: 'qux', foo: 'bar' },
      [{ op: 'replace', path: '/baz', value: 'boo' }],
      { baz: 'boo', foo: 'bar' },
    ],
    ['replaces an element', { foo: [1, 2] }, [{ op: 'replace', path: '/foo/0', value: 3 }], { foo: [3, 2] }],
    ['replaces everything', { foo: 1 }, [{ op: 'replace', path: '', value: { bar: 2 } }], { bar: 2 }],
    [
      'moves a value',
      { foo: { bar: 'baz', waldo: 'fred' }, qux: { corge: 'grault' } },
      [{ op: 'move', from: '/foo/waldo', path: '/qux/thud' }],
      { foo: { bar: 'baz' }, qux: { corge: 'grault', thud: 'fred' } },
    ],
    [
      'moves an element',
      { foo: ['all', 'grass', 'cows', 'eat'] },
      [{ op: 'move', from: '/foo/1', path: '/foo/3' }],
      { foo: ['all', 'cows', 'eat', 'grass'] },
    ],
    [
      'copies a value',
      { a: { b: [1] } },
      [
        { op: 'copy', from: '/a', path: '/c' },
        { op: 'add', path: '/c/b/-', value: 2 },
      ],
      { a: { b: [1] }, c: { b: [1, 2] } },
    ],
    [
      'tests values',
      { baz: 'qux', foo: ['a', 2, 'c'] },
      [
        { op: 'test', path: '/baz', value: 'qux' },
        { op: 'test', path: '/foo/1', value: 2 },
      ],
      { baz: 'qux', foo: ['a', 2, 'c'] },
    ],
    [
      'tests without regard for order',
      { foo: { a: 1, b: 2 } },
      [{ op: 'test', path: '/foo', value: { b: 2, a: 1 } }],
      { foo: { a: 1, b: 2 } },
    ],
    ['tests everything', { foo: 1 }, [{ op: 'test', path: '', value: { foo: 1 } }], { foo: 1 }],
    [
      'ignores what it does not know',
      { foo: 'bar' },
      [{ op: 'add', path: '/baz', value: 'qux', xyz: 123 }],
      { foo: 'bar', baz: 'qux' },
    ],
    [
      'reads escapes in their order',
      { '/': 9, '~1': 10 },
      [
        { op: 'test', path: '/~01', value: 10 },
        { op: 'replace', path: '/~1', value: 1 },
      ],
      { '/': 1, '~1': 10 },
    ],
    ['knows an empty name', { '': 1 }, [{ op: 'replace', path: '/', value: 2 }], { '': 2 }],
    ['does nothing when it is empty', { foo: 1 }, [], { foo: 1 }],
    // Where the library that upstream uses goes its own way.
    ['replaces what is not there', { foo: 1 }, [{ op: 'replace', path: '/bar', value: 2 }], { foo: 1, bar: 2 }],
    ['counts negative indexes from the end', { foo: [1, 2, 3] }, [{ op: 'remove', path: '/foo/-1' }], { foo: [1, 2] }],
    ['adds null when there is no value', {}, [{ op: 'add', path: '/foo' }], { foo: null }],
  ])('%s', (_, document, patch, expected) => {
    const before = JSON.stringify(document);
    expect(applyJsonPatch(document, patch)).toEqual(expected);
    expect(JSON.stringify(document)).toBe(before);
  });

  it.each<[string, unknown, unknown[], RegExp]>([
    ['whose test fails', { baz: 'qux' }, [{ op: 'test', path: '/baz', value: 'bar' }], /testing value \/baz failed/],
    ['that compares a text with a number', { n: 10 }, [{ op: 'test', path: '/n', value: '10' }], /test failed/],
    [
      'that adds to a place that is not there',
      { foo: 'bar' },
      [{ op: 'add', path: '/baz/bat', value: 'qux' }],
      /doc is missing path/,
    ],
    ['that adds beyond the end', { foo: [1] }, [{ op: 'add', path: '/foo/3', value: 1 }], /index/],
    [
      'that adds at something that is no index',
      { foo: [1] },
      [{ op: 'add', path: '/foo/x', value: 1 }],
      /proper array index/,
    ],
    [
      'that removes what is not there',
      { foo: 1 },
      [{ op: 'remove', path: '/bar' }],
      /Unable to remove nonexistent key: bar/,
    ],
    ['that moves what is not there', { foo: [] }, [{ op: 'move', from: '/foo/0', path: '/foo/1' }], /move/],
    ['that moves a value into itself', { a: { b: 1 } }, [{ op: 'move', from: '/a', path: '/a/c' }], /destination path/],
    ['without an operation', {}, [{ path: '/foo' }], /Unexpected kind: unknown/],
    ['with an unknown operation', {}, [{ op: 'append', path: '/foo' }], /Unexpected kind: append/],
    ['without a path', {}, [{ op: 'remove' }], /failed to decode path/],
    ['with a path that is no text', {}, [{ op: 'remove', path: 1 }], /failed to decode path/],
    ['with null for an operation', {}, [null], /Unexpected kind/],
    [
      'that goes through a text',
      { foo: 'bar' },
      [{ op: 'add', path: '/foo/length', value: 1 }],
      /error in add|missing/,
    ],
    ['that reaches for what objects inherit', {}, [{ op: 'remove', path: '/constructor' }], /nonexistent key/],
    [
      'that goes through what objects inherit',
      {},
      [{ op: 'add', path: '/__proto__/polluted', value: 1 }],
      /missing path/,
    ],
    ['that copies what objects inherit', {}, [{ op: 'copy', from: '/constructor/prototype', path: '/x' }], /missing/],
  ])('%s fails with 422, and nothing more than that', (_, document, patch, cause) => {
    const failure = failureOf(document, patch);
    expect(failure).toMatchObject({ code: 422, reason: 'Invalid' });
    expect(failure.cause).toMatch(cause);
    expect(({} as Record<string, unknown>).polluted).toBeUndefined();
  });

  it('makes __proto__ a name like any other', () => {
    const patched = applyJsonPatch({}, [
      { op: 'add', path: '/__proto__', value: { polluted: 1 } },
      { op: 'add', path: '/__proto__/more', value: 2 },
    ]) as object;
    expect(Object.keys(patched)).toEqual(['__proto__']);
    expect(Object.getPrototypeOf(patched)).toBe(Object.prototype);
    expect(JSON.stringify(patched)).toBe('{"__proto__":{"polluted":1,"more":2}}');
  });

  it.each<[unknown, string]>([
    [{}, 'json: cannot unmarshal object into Go value of type []handlers.jsonPatchOp'],
    ['x', 'json: cannot unmarshal string into Go value of type []handlers.jsonPatchOp'],
    [[1], 'json: cannot unmarshal number into Go value of type handlers.jsonPatchOp'],
    [[[]], 'json: cannot unmarshal array into Go value of type handlers.jsonPatchOp'],
  ])('that is none, %j, is refused with 400', (patch, message) => {
    expect(() => applyJsonPatch({}, patch)).toThrow(message);
  });

  it('has at most 10000 operations', () => {
    const many = (count: number) => Array.from({ length: count }, () => ({ op: 'test', path: '/a', value: 1 }));
    expect(applyJsonPatch({ a: 1 }, many(10_000))).toEqual({ a: 1 });
    expect(() => applyJsonPatch({ a: 1 }, many(10_001))).toThrow('10001');
  });

  it('cannot copy itself large', () => {
    const doubling = Array.from({ length: 100 }, () => ({ op: 'copy', from: '/a', path: '/a/-' }));
    const start = performance.now();
    expect(failureOf({ a: ['x'.repeat(100)] }, doubling).cause).toMatch(
      /accumulated size increase of copy is \d+, exceeding the limit 3145728/,
    );
    expect(performance.now() - start).toBeLessThan(1000);
  });

  it('cannot build what is too deep to be walked', () => {
    const nested = (depth: number) => JSON.parse(`${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}`) as unknown;
    const grow = Array.from({ length: 20 }, (_, i) => ({
      op: 'add',
      path: '/a'.repeat(1 + i * 100),
      value: nested(100),
    }));
    expect(applyJsonPatch({}, grow.slice(0, 9))).toBeDefined();
    expect(failureOf({}, grow).cause).toBe('exceeded max depth');
    expect(failureOf({ a: nested(900) }, [{ op: 'copy', from: '/a', path: `${'/a'.repeat(500)}/b` }]).cause).toBe(
      'exceeded max depth',
    );
    expect(
      failureOf({ a: nested(900), b: nested(500) }, [{ op: 'move', from: '/b', path: `${'/a'.repeat(800)}/b` }]).cause,
    ).toBe('exceeded max depth');
  });

  it('reports errors of its author as such', () => {
    try {
      applyJsonPatch({}, [{ op: 'remove', path: '/x' }]);
    } catch (error) {
      expect(isStatusError(error) && error.message).toBe(
        'the server rejected our request due to an error in our request',
      );
    }
    expect.assertions(1);
  });
});
