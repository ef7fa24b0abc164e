import { describe, expect, it } from 'vitest';
import { findJsonPath } from './find-json-path.ts';
import { parseJsonPath } from './parse-json-path.ts';

const event = {
  body: {
    ref: 'main',
    size: 2,
    none: null,
    list: [{ name: 'a', count: 1 }, { name: 'b', count: 2.5 }, { other: true }],
    'a.b': 'dotted',
  },
};
const find = (path: string) => findJsonPath(parseJsonPath(path), event);

describe('a JSONPath, where keys must exist', () => {
  it.each<[string, readonly unknown[]]>([
    ['.body.ref', ['main']],
    ['.body.none', [null]],
    ['.body.list[*].name', ['a', 'b']],
    ['.body.list[0:2].name', ['a', 'b']],
    ['.body.list[-1].other', [true]],
    ['.body.list[?(@.other)]', [{ other: true }]],
    ['.body.list[0:2][?(@.count==2.5)]', []],
    ['.body.a\\.b', ['dotted']],
    ["['body'].ref", ['main']],
    ['.body..name', ['a', 'b']],
    ['"text"', ['text']],
    [String.raw`'it\'s'`, ["it's"]],
  ])('%s reaches its values', (path, values) => {
    if (path.includes('[0:2][?')) expect(() => find(path)).toThrow('cannot be filtered');
    else expect(find(path)).toEqual(values);
  });

  it.each([
    ['.body.nosuch', 'nosuch is not found'],
    ['.body.none.x', 'x is not found'],
    ['.body.ref[0]', 'string is not array or slice'],
    ['.body[0]', 'map[string]interface {} is not array or slice'],
    ['.body.list[3]', 'array index out of bounds: index 3, length 3'],
    ['.body.list[2:1]', 'starting index 2 is greater than ending index 1'],
    ['.body.list[?(@.count==1)]', 'incompatible types for comparison'],
    ['.body.list[?(@.name===1)]', 'unrecognized filter operator ==='],
    ['.body.ref range', ''],
    ['.body foo', 'unrecognized identifier foo'],
    ['....', 'invalid multiple recursive descent'],
    ['.body.#', '# is not found'],
    ['.body #', "unrecognized character in action: U+0023 '#'"],
    ['.body["x"]', 'invalid array index "x"'],
    ['.body[0', 'unterminated array'],
    ['.body[?(@.a', 'unterminated filter'],
    ['"x', 'unterminated quoted string'],
    ['-', 'cannot parse number -'],
  ])('%s fails as in client-go', (path, message) => {
    if (message === '') expect(find(path)).toEqual([]);
    else expect(() => find(path)).toThrow(message);
  });

  it('stops when it reaches too many values', () => {
    let deep: unknown = 'x';
    for (let depth = 0; depth < 400; depth++) deep = { a: deep };
    const path = parseJsonPath('..a..a..a..a');
    expect(() => findJsonPath(path, deep, { allowMissingKeys: true })).toThrow('the path reaches too many values');
  });
});
