import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { formatYaml } from './format-yaml.ts';
import { parseYaml } from './parse-yaml.ts';
import { compareYamlKeys } from './yaml-key-order.ts';

describe('formatYaml', () => {
  test('prints an object as kubectl does', () => {
    const object = {
      kind: 'ConfigMap',
      apiVersion: 'v1',
      metadata: { name: 'a', creationTimestamp: '2026-11-15T03:56:56Z', labels: {}, finalizers: [] },
      data: { x: '1', script: 'a\n  b\n', trailing: 'a \nb', empty: '' },
      list: [{ b: 1, a: [1, [2, 3]] }, 'x', [], {}, null],
    };
    expect(formatYaml(object)).toBe(`apiVersion: v1
data:
  empty: ""
  script: |
    a
      b
  trailing: "a \\nb"
  x: "1"
kind: ConfigMap
list:
- a:
  - 1
  - - 2
    - 3
  b: 1
- x
- []
- {}
- null
metadata:
  creationTimestamp: "2026-11-15T03:56:56Z"
  finalizers: []
  labels: {}
  name: a
`);
  });

  test.each<[unknown, string]>([
    ['yes', '"yes"'],
    ['y', '"y"'],
    ['1e3', '"1e3"'],
    ['0x10', '"0x10"'],
    ['1:30', '"1:30"'],
    ['2020-01-01', '"2020-01-01"'],
    ['2020-13-01', '2020-13-01'],
    ['9007199254740993', '"9007199254740993"'],
    ['a: b', "'a: b'"],
    ['a:b', 'a:b'],
    ['a #b', "'a #b'"],
    ['#a', "'#a'"],
    ["it's", "it's"],
    ["'x", "'''x'"],
    ['- a', "'- a'"],
    ['-a', '-a'],
    [' a', "' a'"],
    ['{a}', "'{a}'"],
    ['a{b}', 'a{b}'],
    ['*', "'*'"],
    ['tab\there', '"tab\\there"'],
    ['ümlaut', 'ümlaut'],
    ['\u{1F600}', '"\\U0001F600"'],
    ['a\nb', '|-\n  a\n  b'],
    ['a\n\n', '|+\n  a\n'],
    ['\na', '|2-\n\n  a'],
    ['~', '"~"'],
    ['<<', '<<'],
    [true, 'true'],
    [null, 'null'],
    [1.5, '1.5'],
    [1234567.5, '1.2345675e+06'],
    [0.00001, '1e-05'],
    [1e21, '1e+21'],
    [9007199254740991, '9007199254740991'],
  ])('prints %j as %s', (value, text) => {
    expect(formatYaml(value)).toBe(`${text}\n`);
  });

  test('folds long lines at a space', () => {
    const words = 'word '.repeat(30).trim();
    expect(formatYaml({ message: words })).toBe(
      `message: ${'word '.repeat(15).trim()}\n  ${'word '.repeat(15).trim()}\n`.replace(/ $/gm, ''),
    );
    expect(formatYaml({ message: `: ${words}` })).toContain('word\n  word');
  });

  test('writes keys that are long or have several lines with a question mark', () => {
    const key = 'k'.repeat(129);
    expect(formatYaml({ [key]: { a: 1 } })).toBe(`? ${key}\n: a: 1\n`);
    expect(formatYaml({ 'a\nb': [1] })).toBe('? |-\n  a\n  b\n: - 1\n');
  });

  test('sorts keys naturally, letters last', () => {
    const keys = ['b', 'a10', 'a2', 'a1', '.', 'f:x', 'k:{"name":"c"}', '0', 'a01', 'B'];
    expect(keys.sort(compareYamlKeys)).toEqual(['.', '0', 'B', 'a1', 'a01', 'a2', 'a10', 'b', 'f:x', 'k:{"name":"c"}']);
  });

  test('what it prints is read back as the same value', () => {
    const text = fc.oneof(
      fc.string(),
      fc.string({ unit: 'grapheme' }),
      fc.constantFrom('yes', '1', '- a', 'a\n b', '\n', ' ', '\ta'),
    );
    const { value } = fc.letrec((tie) => ({
      value: fc.oneof(
        { maxDepth: 4 },
        text,
        fc.integer(),
        fc.double({ min: -1e15, max: 1e15, noNaN: true }),
        fc.boolean(),
        fc.constant(null),
        fc.array(tie('value'), { maxLength: 4 }),
        fc.dictionary(text, tie('value'), { maxKeys: 4 }),
      ),
    }));
    fc.assert(
      fc.property(value, (original) => {
        const normal = JSON.parse(JSON.stringify(original)) as unknown;
        expect(parseYaml(formatYaml(normal))[0]?.value).toEqual(normal);
      }),
      { numRuns: 500 },
    );
  });
});
