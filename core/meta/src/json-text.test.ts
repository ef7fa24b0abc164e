import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { normalizeInteger, parseJson, stringifyJson } from './json-text.ts';

describe('whole numbers', () => {
  test.each([
    ['9007199254740991', 9007199254740991],
    ['9007199254740993', 9007199254740993n],
    ['9223372036854775807', 9223372036854775807n],
    ['-9223372036854775808', -9223372036854775808n],
    ['-9223372036854775809', -(2 ** 63)],
    ['99999999999999999999', 1e20],
    ['1000000000000000000000000', 1e24],
    ['9007199254740993.5', 9007199254740994],
    ['9007199254740993e0', 9007199254740992],
  ])('%s is read as Go reads it', (text, value) => {
    expect(parseJson(text)).toBe(value);
    expect(parseJson(`{"a":[${text} ]}`)).toEqual({ a: [value] });
  });

  test('that a number holds are numbers', () => {
    expect(normalizeInteger(10000000000000000n)).toBe(1e16);
    expect(normalizeInteger(-1n)).toBe(-1);
  });

  test('in strings and in keys stay as they are', () => {
    const text = '{"9007199254740993":"9007199254740993","a\\"9007199254740993":9007199254740993}';
    expect(parseJson(text)).toEqual({
      '9007199254740993': '9007199254740993',
      'a"9007199254740993': 9007199254740993n,
    });
  });

  test('are not confused with strings that look like marks', () => {
    const value = { '\0i1': '\0i2', list: ['\0s', '\0'], long: 9007199254740993n };
    expect(parseJson(stringifyJson(value))).toEqual(value);
  });
});

const leaf = fc.oneof(
  fc.string({ maxLength: 4 }),
  fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }).map(normalizeInteger),
  fc.double({ noNaN: true, noDefaultInfinity: true }).filter((value) => !Object.is(value, -0)),
  fc.constantFrom(null, true, false),
);
const { json } = fc.letrec<{ json: unknown }>((tie) => ({
  json: fc.oneof(
    { maxDepth: 3 },
    leaf,
    fc.array(tie('json'), { maxLength: 4 }),
    fc.dictionary(fc.string({ maxLength: 4 }), tie('json'), { maxKeys: 4 }),
  ),
}));

test('what is printed is read back', () => {
  fc.assert(
    fc.property(json, fc.constantFrom(0, 2), (value, indent) => {
      expect(parseJson(stringifyJson(value, indent))).toEqual(value);
    }),
  );
});

test('a text has the form that JSON.stringify gives it', () => {
  fc.assert(
    fc.property(fc.jsonValue({ maxDepth: 3 }), fc.constantFrom(0, 2), (value, indent) => {
      const long = 9007199254740993n;
      const expected = JSON.stringify({ value, long: 'long' }, undefined, indent).replace(
        /"long"(?=\s*\}$)/,
        String(long),
      );
      expect(stringifyJson({ value, long }, indent)).toBe(expected);
    }),
  );
});

test('a value that contains itself is an error', () => {
  const value: Record<string, unknown> = {};
  value['value'] = value;
  expect(() => stringifyJson(value)).toThrow(TypeError);
});
