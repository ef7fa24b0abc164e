import { isStatusError } from '@tektite/meta';
import { describe, expect, test } from 'vitest';
import { applyJsonPatch } from './json-patch.ts';

const document = { data: { x: '1', list: ['a', 'b'] }, nothing: null };

describe('a JSON Patch', () => {
  test.each<[string, object[], unknown]>([
    [
      'adds a key',
      [{ op: 'add', path: '/data/y', value: '2' }],
      { data: { x: '1', list: ['a', 'b'], y: '2' }, nothing: null },
    ],
    [
      'inserts into a list',
      [{ op: 'add', path: '/data/list/0', value: 'z' }],
      { data: { x: '1', list: ['z', 'a', 'b'] }, nothing: null },
    ],
    [
      'appends to a list',
      [{ op: 'add', path: '/data/list/-', value: 'z' }],
      { data: { x: '1', list: ['a', 'b', 'z'] }, nothing: null },
    ],
    [
      'counts from the end of a list',
      [{ op: 'remove', path: '/data/list/-1' }],
      { data: { x: '1', list: ['a'] }, nothing: null },
    ],
    [
      'replaces a key that is not there',
      [{ op: 'replace', path: '/data/new', value: 1 }],
      { data: { x: '1', list: ['a', 'b'], new: 1 }, nothing: null },
    ],
    [
      'adds null when it names no value',
      [{ op: 'add', path: '/data/x' }],
      { data: { x: null, list: ['a', 'b'] }, nothing: null },
    ],
    ['moves', [{ op: 'move', from: '/data/x', path: '/x' }], { data: { list: ['a', 'b'] }, nothing: null, x: '1' }],
    ['copies', [{ op: 'copy', from: '/data/list', path: '/list' }], { ...document, list: ['a', 'b'] }],
    ['tests and goes on', [{ op: 'test', path: '/data/x', value: '1' }], document],
    ['takes what is missing for null in a test', [{ op: 'test', path: '/data/none', value: null }], document],
    ['replaces the whole document', [{ op: 'replace', path: '', value: { all: 1 } }], { all: 1 }],
    [
      'unescapes keys',
      [{ op: 'add', path: '/data/a~1b~0c', value: 1 }],
      { data: { ...document.data, 'a/b~c': 1 }, nothing: null },
    ],
  ])('%s', (_, patch, expected) => {
    expect(applyJsonPatch(document, patch)).toEqual(expected);
    expect(document).toEqual({ data: { x: '1', list: ['a', 'b'] }, nothing: null });
  });

  test('does not reach prototypes', () => {
    const result = applyJsonPatch({}, [{ op: 'add', path: '/__proto__', value: { polluted: true } }]) as object;
    expect(({} as { polluted?: boolean }).polluted).toBeUndefined();
    expect(Object.keys(result)).toEqual(['__proto__']);
    expect(() => applyJsonPatch({}, [{ op: 'add', path: '/constructor/prototype/x', value: 1 }])).toThrow();
  });

  test.each<[string, object, string]>([
    [
      'a missing key',
      { op: 'remove', path: '/data/no' },
      "error in remove for path: '/data/no': Unable to remove nonexistent key: no: missing value",
    ],
    [
      'a missing parent',
      { op: 'add', path: '/no/x', value: 1 },
      'add operation does not apply: doc is missing path: "/no/x": missing value',
    ],
    [
      'a parent that is null',
      { op: 'add', path: '/nothing/x', value: 1 },
      'add operation does not apply: doc is missing path: "/nothing/x": missing value',
    ],
    [
      'an index beyond the end',
      { op: 'remove', path: '/data/list/5' },
      "error in remove for path: '/data/list/5': Unable to access invalid index: 5: invalid index referenced",
    ],
    [
      'an index that is none',
      { op: 'add', path: '/data/list/x', value: 1 },
      `error in add for path: '/data/list/x': value was not a proper array index: 'x': strconv.Atoi: parsing "x": invalid syntax`,
    ],
    ['a test that fails', { op: 'test', path: '/data/x', value: '2' }, 'testing value /data/x failed: test failed'],
    ['an operation nobody knows', { op: 'melt', path: '/data' }, 'Unexpected kind: melt'],
    ['no path', { op: 'add', value: 1 }, 'add operation failed to decode path: missing value'],
  ])('with %s fails, and the cause says why', (_, operation, expected) => {
    try {
      applyJsonPatch(document, [operation]);
      expect.unreachable();
    } catch (error) {
      expect(isStatusError(error, 'Invalid')).toBe(true);
      expect((error as { cause: Error }).cause.message).toBe(expected);
    }
  });
});
