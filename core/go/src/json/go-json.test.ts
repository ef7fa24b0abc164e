import { describe, expect, it } from 'vitest';
import { goJson, goStructJson } from './go-json.ts';

describe('goJson', () => {
  it.each([
    [{ b: 1, a: [true, null, 'x'] }, '{"a":[true,null,"x"],"b":1}'],
    ['<a & b>', '"\\u003ca \\u0026 b\\u003e"'],
    ['\u2028', '"\\u2028"'],
    ['\u0001\n', '"\\u0001\\n"'],
    [1e20, '100000000000000000000'],
    [1e21, '1e+21'],
    [1.5e-7, '1.5e-7'],
    [0.000001, '0.000001'],
    [3.14, '3.14'],
    [-0, '-0'],
    [{ a: undefined, b: 1 }, '{"b":1}'],
    // By bytes of UTF-8, not by UTF-16 units.
    [{ '\u{1f600}': 1, '\uffee': 2 }, '{"\uffee":2,"\u{1f600}":1}'],
    ['\ud800', '"\ufffd"'],
  ])('prints %j as Go does', (value, expected) => {
    expect(goJson(value)).toBe(expected);
  });
});

describe('goStructJson', () => {
  it('prints fields in their order and sorts maps that have numbers for keys', () => {
    expect(goStructJson({ b: '<', a: { 10: 'x', 9: undefined, 1: [2] } })).toBe(
      '{"b":"\\u003c","a":{"1":[2],"10":"x"}}',
    );
  });
});
