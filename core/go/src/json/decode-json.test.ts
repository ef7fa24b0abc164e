import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { decodeJson } from './decode-json.ts';
import { duplicateFields } from './duplicate-fields.ts';
import { JsonNumber, parseJsonDocument, plainNumbers } from './json-document.ts';

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);

describe('malformed JSON', () => {
  test.each([
    ['', 'unexpected end of JSON input'],
    ['{"a":"b",', 'unexpected end of JSON input'],
    ['[1,', 'unexpected end of JSON input'],
    ['"abc', 'unexpected end of JSON input'],
    ['tru', 'unexpected end of JSON input'],
    ['abc', "invalid character 'a' looking for beginning of value"],
    ['{a', "invalid character 'a' looking for beginning of object key string"],
    ['{"a" 1}', "invalid character '1' after object key"],
    ['{"a":1 "b"}', "invalid character '\"' after object key:value pair"],
    ['{"a":1,}', "invalid character '}' looking for beginning of object key string"],
    ['[1 2]', "invalid character '2' after array element"],
    ['[1,]', "invalid character ']' looking for beginning of value"],
    ['{} x', "invalid character 'x' after top-level value"],
    ['{}}', "invalid character '}' after top-level value"],
    ['"a\nb"', "invalid character '\\n' in string literal"],
    ['"\\q"', "invalid character 'q' in string escape code"],
    ['"\\u12g4"', "invalid character 'g' in \\u hexadecimal character escape"],
    ['-a', "invalid character 'a' in numeric literal"],
    ['1.x', "invalid character 'x' after decimal point in numeric literal"],
    ['1e+', 'unexpected end of JSON input'],
    ['1ex', "invalid character 'x' in exponent of numeric literal"],
    ['01', "invalid character '1' after top-level value"],
    ['trux', "invalid character 'x' in literal true (expecting 'e')"],
    ['nulx', "invalid character 'x' in literal null (expecting 'l')"],
    ["'a'", "invalid character '\\'' looking for beginning of value"],
    ['é', "invalid character 'Ã' looking for beginning of value"],
    ['\uFEFF{}', "invalid character 'ï' looking for beginning of value"],
    ['['.repeat(200_000), 'unexpected end of JSON input'],
  ])('%j: %s', (text, message) => {
    expect(() => decodeJson(bytes(text))).toThrow(message);
  });

  test('is distinguished from valid JSON wherever it is cut', () => {
    fc.assert(
      fc.property(fc.json(), fc.nat(), (text, at) => {
        const cut = text.slice(0, at % (text.length + 1));
        let isGood = true;
        try {
          JSON.parse(cut);
        } catch {
          isGood = false;
        }
        if (isGood) expect(() => decodeJson(bytes(cut))).not.toThrow(/unexpected|invalid/);
        else expect(() => decodeJson(bytes(cut))).toThrow(/^unexpected end of JSON input$|^invalid character /);
      }),
    );
  });
});

describe('good JSON', () => {
  test('is what JSON.parse makes of it', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const text = JSON.stringify(value);
        const expected = JSON.parse(text) as unknown;
        fc.pre(!/\d{16}/.test(text));
        expect(decodeJson(bytes(text)).value).toEqual(expected);
        expect(plainNumbers(parseJsonDocument(text).value)).toEqual(expected);
      }),
    );
  });

  test('may not be nested too deeply', () => {
    expect(() => decodeJson(bytes('['.repeat(1000) + ']'.repeat(1000)))).not.toThrow();
    expect(() => decodeJson(bytes('['.repeat(1001) + ']'.repeat(1001)))).toThrow('exceeded max depth');
  });

  test('keeps a key named __proto__ as an ordinary one', () => {
    for (const text of ['{"__proto__": {"a": 1}}', '{"__proto__": {"a": 1}, "x": 1, "x": 2}']) {
      const { value } = decodeJson(bytes(text));
      expect(Object.hasOwn(value as object, '__proto__')).toBe(true);
      expect(Object.getPrototypeOf(value)).toBe(Object.prototype);
    }
  });

  test('names the keys it has twice, in the order in which they come', () => {
    const document = decodeJson(bytes('{"data":{"a":"1","a":"2"},"data":{"b":"3"},"l":[{"x":1,"x":2}]}'));
    expect(duplicateFields(document)).toEqual([
      'duplicate field "data.a"',
      'duplicate field "data"',
      'duplicate field "l[0].x"',
    ]);
    expect(plainNumbers(document.value)).toEqual({ data: { b: '3' }, l: [{ x: 2 }] });
  });

  test('keeps the text of fractions for who asks for it', () => {
    expect(decodeJson(bytes('[1.0]')).value).toEqual([1]);
    expect(decodeJson(bytes('[1.0]'), { keepNumbers: true }).value).toEqual([new JsonNumber('1.0')]);
    expect(decodeJson(bytes('[10]'), { keepNumbers: true }).value).toEqual([10]);
  });

  test('keeps whole numbers of 64 bits', () => {
    expect(decodeJson(bytes('{"a": 9007199254740993, "b": "9007199254740993"}')).value).toEqual({
      a: 9007199254740993n,
      b: '9007199254740993',
    });
    expect(decodeJson(bytes('-9223372036854775808')).value).toBe(-9223372036854775808n);
    expect(decodeJson(bytes('9007199254740991')).value).toBe(9007199254740991);
    // Beyond 64 bits Go has no exact number either.
    expect(decodeJson(bytes('99999999999999999999')).value).toBe(1e20);
  });
});
