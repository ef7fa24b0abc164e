import { describe, expect, test } from 'vitest';
import { parseFirstYaml, parseYaml, strictYamlError } from './parse-yaml.ts';

const value = (text: string): unknown => parseYaml(text)[0]?.value;

describe('scalars without quotes', () => {
  test.each<[string, unknown]>([
    ['yes', true],
    ['Y', true],
    ['on', true],
    ['Off', false],
    ['n', false],
    ['yEs', 'yEs'],
    ['~', null],
    ['', null],
    ['Null', null],
    ['nULL', 'nULL'],
    ['0777', 511],
    ['0o17', 15],
    ['08', 8],
    ['0x1F', 31],
    ['-0x1F', -31],
    ['0b101', 5],
    ['1_000', 1000],
    ['+12', 12],
    ['1e3', 1000],
    ['.5', 0.5],
    ['-.5', -0.5],
    ['.', '.'],
    ['1.', 1],
    ['12:30:45', '12:30:45'],
    ['2001-12-14', '2001-12-14'],
    ['2001-12-14T21:59:43Z', '2001-12-14T21:59:43Z'],
    ['1.2.3', '1.2.3'],
    ['18446744073709551615', 2 ** 64],
    ['99999999999999999999', 1e20],
    ['1e999', '1e999'],
    ['"yes"', 'yes'],
    ["'1'", '1'],
    ['!!str 1', '1'],
    ['!!float 1', 1],
    ['!local 1', '1'],
    ['!!binary aGk=', 'hi'],
  ])('%s is read as %j', (text, expected) => {
    expect(value(`a: ${text}`)).toEqual({ a: expected });
  });

  test.each([
    ['.inf', 'json: unsupported value: +Inf'],
    ['.nan', 'json: unsupported value: NaN'],
    ['!!int x', 'yaml: cannot decode !!str `x` as a !!int'],
  ])('%s is refused', (text, message) => {
    expect(() => parseYaml(`a: ${text}`)).toThrow(message);
  });
});

describe('maps', () => {
  test('keys that are no strings become strings', () => {
    expect(value('1: a\ntrue: b\n1.5: c\nyes: d\n"x": e')).toEqual({ 1: 'a', true: 'd', '1.5': 'c', x: 'e' });
  });

  test('a null key is refused', () => {
    expect(() => parseYaml('~: a')).toThrow('unsupported map key');
  });

  test('the last of two equal keys counts, and strict reading says where it stands', () => {
    const [document] = parseYaml('data:\n  a: "1"\n  a: "2"\nkind: x\nkind: z\n');
    expect(document?.value).toEqual({ data: { a: '2' }, kind: 'z' });
    expect(strictYamlError(document!)).toBe(
      'yaml: unmarshal errors:\n  line 3: key "a" already set in map\n  line 5: key "kind" already set in map',
    );
  });

  test('a key named __proto__ is an ordinary key', () => {
    const parsed = value('__proto__: {polluted: 1}') as object;
    expect(Object.hasOwn(parsed, '__proto__')).toBe(true);
    expect(Object.getPrototypeOf(parsed)).toBe(Object.prototype);
    expect((parsed as { polluted?: number }).polluted).toBeUndefined();
  });

  test('merge keys bring in other maps, the first of a list winning', () => {
    expect(value('a: &a {x: 1, w: 1}\nb: &b {w: 2, z: 2}\nc:\n  <<: [*a, *b]\n  x: 3\n')).toMatchObject({
      c: { x: 3, w: 1, z: 2 },
    });
    expect(() => parseYaml('<<: 1')).toThrow('map merge requires map or sequence of maps as the value');
  });
});

describe('aliases', () => {
  test('are copies of what they name', () => {
    const parsed = value('a: &x [1]\nb: *x') as { a: unknown[]; b: unknown[] };
    expect(parsed).toEqual({ a: [1], b: [1] });
    expect(parsed.a).not.toBe(parsed.b);
  });

  test('mean the last anchor before them', () => {
    expect(value('a: &x 1\nb: *x\nc: &x 2\nd: *x')).toEqual({ a: 1, b: 1, c: 2, d: 2 });
  });

  test('that name nothing, or themselves, are refused', () => {
    expect(() => parseYaml('a: *x')).toThrow("yaml: unknown anchor 'x' referenced");
    expect(() => parseYaml('a: &x [*x]')).toThrow("yaml: anchor 'x' value contains itself");
  });

  test('cannot multiply a small text into a huge value', () => {
    const lines = ['a: &a [x,x,x,x,x,x,x,x,x]'];
    for (const [previous, name] of ['ab', 'bc', 'cd', 'de', 'ef', 'fg', 'gh'].map((pair) => pair.split(''))) {
      lines.push(`${name}: &${name} [${Array(9).fill(`*${previous}`).join(',')}]`);
    }
    expect(() => parseYaml(lines.join('\n'))).toThrow('yaml: document contains excessive aliasing');
  });
});

describe('documents', () => {
  test('are read one by one, empty ones as null', () => {
    const documents = parseYaml('# only a comment\n---\na: 1\n---\n---\nb: 2\n');
    expect(documents.map((document) => document.value)).toEqual([{ a: 1 }, null, { b: 2 }]);
    expect(documents.map((document) => document.line)).toEqual([3, 4, 6]);
  });

  test('know where their fields stand', () => {
    const [document] = parseYaml('kind: Pod\nspec:\n  containers:\n    - name: a\n      image: b\n    - {name: c}\n');
    expect(document?.positionOf(['spec', 'containers', 0, 'image'])).toEqual({ line: 5, column: 7 });
    expect(document?.positionOf(['spec', 'containers', 1, 'name'])).toEqual({ line: 6, column: 8 });
    expect(document?.positionOf(['spec', 'nodeName'])).toEqual({ line: 2, column: 1 });
  });

  test('after the first do not matter to who reads only that', () => {
    expect(parseFirstYaml('a: 1\n---\n[')?.value).toEqual({ a: 1 });
  });

  test('may be JSON', () => {
    expect(value('{"a": [1, {"b": null}], "c": "\\u0041"}')).toEqual({ a: [1, { b: null }], c: 'A' });
  });

  test('of extreme depth are refused', () => {
    expect(() => parseYaml('['.repeat(20_000) + ']'.repeat(20_000))).toThrow('max depth');
  });
});

describe('errors are described in the words of kubectl', () => {
  test.each([
    ['apiVersion: v1\nkind: ConfigMap\n\tbad', 'yaml: line 3: found a tab character that violates indentation'],
    ['a:\n\t- b', 'yaml: line 2: found character that cannot start any token'],
    ['a: b: c', 'yaml: mapping values are not allowed in this context'],
    ['a: b\n c: d', 'yaml: line 2: mapping values are not allowed in this context'],
    ['a:\n  - b\n c: d', 'yaml: line 2: did not find expected key'],
    ['x: 1\na: "y', 'yaml: line 2: found unexpected end of stream'],
    ['x: 1\na: @y', 'yaml: line 2: found character that cannot start any token'],
    ['a: b\n- c', 'yaml: line 1: did not find expected key'],
    ['a: - c', 'yaml: block sequence entries are not allowed in this context'],
    ['- - a\n - b', "yaml: line 1: did not find expected '-' indicator"],
    ['a: "x" b', 'yaml: did not find expected key'],
    ['x: 1\n}', 'yaml: line 1: did not find expected key'],
    ['{"a": 1', "yaml: did not find expected ',' or '}'"],
    ['a: \u0001', 'yaml: control characters are not allowed'],
    ['- a\nb: c', "yaml: line 1: did not find expected '-' indicator"],
    ['a: b\nc\n', "yaml: line 3: could not find expected ':'"],
    ['a: "\\q"', 'yaml: found unknown escape character'],
    ['a: [1, 2', "yaml: did not find expected ',' or ']'"],
  ])('reports the line and the reason for %j', (text, message) => {
    expect(() => parseYaml(text)).toThrow(message);
  });
});
