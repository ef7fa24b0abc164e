import { type FieldError, FieldPath, formatFieldError } from '@tektite/meta';
import { describe, expect, it } from 'vitest';
import { compileSchema } from './compiled-schema.ts';
import type { JsonSchema } from './structural-schema.ts';

const inSpec = (properties: Record<string, JsonSchema>): JsonSchema => ({
  type: 'object',
  properties: { spec: { type: 'object', properties } },
});
const texts = (errors: readonly FieldError[]) => errors.map(formatFieldError);
const check = (schema: JsonSchema, value: unknown) => texts(compileSchema(schema).validate(value));

describe('types', () => {
  const schema = inSpec({
    s: { type: 'string' },
    i: { type: 'integer' },
    n: { type: 'number' },
    b: { type: 'boolean' },
    a: { type: 'array', items: { type: 'string' } },
    o: { type: 'object', required: ['x'], properties: { x: { type: 'string' } } },
    e: { type: 'string', enum: ['A', 'B'] },
    ei: { type: 'integer', enum: [1, 2] },
    en: { type: 'string', nullable: true, enum: ['a', null] },
    m: { type: 'object', additionalProperties: { type: 'integer' } },
    ios: { 'x-kubernetes-int-or-string': true },
    d: { type: 'string', format: 'date-time' },
  });

  it.each<[unknown, string[]]>([
    [{ s: 'x', i: 1, n: 1.5, b: true, a: ['z'], o: { x: '1' }, e: 'A', ei: 2, m: { k: 1 }, ios: '5%' }, []],
    [{ s: 5 }, ['spec.s: Invalid value: "integer": spec.s in body must be of type string: "integer"']],
    [{ s: {} }, ['spec.s: Invalid value: "object": spec.s in body must be of type string: "object"']],
    [{ s: null }, ['spec.s: Invalid value: "null": spec.s in body must be of type string: "null"']],
    [
      { i: 1.5 },
      [
        'spec.i: Invalid value: "number": spec.i in body must be of type integer: "number"',
        '<nil>: Invalid value: "": Checked value must be of type integer (default format) in spec.i',
      ],
    ],
    [
      { i: 1e30 },
      [
        'spec.i: Invalid value: "number": spec.i in body must be of type integer: "number"',
        '<nil>: Invalid value: "": Checked value must be of type integer (default format) in spec.i',
      ],
    ],
    [{ n: 3 }, []],
    [{ n: 'x' }, ['spec.n: Invalid value: "string": spec.n in body must be of type number: "string"']],
    [
      { a: [1, 'ok', true] },
      [
        'spec.a[0]: Invalid value: "integer": spec.a[0] in body must be of type string: "integer"',
        'spec.a[2]: Invalid value: "boolean": spec.a[2] in body must be of type string: "boolean"',
      ],
    ],
    [{ o: {} }, ['spec.o.x: Required value']],
    [{ o: [] }, ['spec.o: Invalid value: "array": spec.o in body must be of type object: "array"']],
    [{ e: 'C' }, ['spec.e: Unsupported value: "C": supported values: "A", "B"']],
    [
      { e: 5 },
      [
        'spec.e: Invalid value: "integer": spec.e in body must be of type string: "integer"',
        'spec.e: Unsupported value: 5: supported values: "A", "B"',
      ],
    ],
    [{ ei: 3 }, ['spec.ei: Unsupported value: 3: supported values: "1", "2"']],
    [{ en: null }, ['spec.en: Unsupported value: null: supported values: "a", "null"']],
    [{ m: { k: 'x' } }, ['spec.m.k: Invalid value: "string": spec.m.k in body must be of type integer: "string"']],
    [{ ios: 1.5 }, ['spec.ios: Invalid value: "number": spec.ios in body must be of type integer,string: "number"']],
    [{ d: 5 }, ['spec.d: Invalid value: "int64": spec.d in body must be of type date-time: "int64"']],
    ['x', ['spec: Invalid value: "string": spec in body must be of type object: "string"']],
    [JSON.parse('{"__proto__": 1, "constructor": 2}'), []],
  ])('are checked in %j', (spec, expected) => {
    expect(check(schema, { spec })).toEqual(expected);
  });
});

describe('keywords', () => {
  it.each<[JsonSchema, unknown, string[]]>([
    [{ maximum: 3 }, 4, ['Invalid value: 4: spec.v in body should be less than or equal to 3']],
    [{ maximum: 3, exclusiveMaximum: true }, 3, ['Invalid value: 3: spec.v in body should be less than 3']],
    [{ minimum: 3 }, 2.5, ['Invalid value: 2.5: spec.v in body should be greater than or equal to 3']],
    [{ minimum: 3, exclusiveMinimum: true }, 3, ['Invalid value: 3: spec.v in body should be greater than 3']],
    [{ multipleOf: 3 }, 4, ['Invalid value: 4: spec.v in body should be a multiple of 3']],
    [{ multipleOf: 0.1 }, 0.3, []],
    [{ maxLength: 3 }, 'abcd', ['Too long: may not be more than 3 bytes']],
    [{ maxLength: 3 }, '😀😀😀', []],
    [{ minLength: 3 }, 'ab', ['Invalid value: "ab": spec.v in body should be at least 3 chars long']],
    [{ pattern: '^a+$' }, 'b', ['Invalid value: "b": spec.v in body should match \'^a+$\'']],
    [{ minItems: 1 }, [], ['Invalid value: 0: spec.v in body should have at least 1 items']],
    [{ maxItems: 1 }, [1, 2], ['Too many: 2: must have at most 1 item']],
    [
      { uniqueItems: true },
      [
        { a: 1, b: 2 },
        { b: 2, a: 1 },
      ],
      ['Invalid value: "": spec.v in body shouldn\'t contain duplicates'],
    ],
    [{ minProperties: 1 }, {}, ['Invalid value: 0: spec.v in body should have at least 1 properties']],
    [{ maxProperties: 1 }, { a: 1, b: 2 }, ['Too many: 2: must have at most 1 item']],
    [
      { additionalProperties: false, properties: {} },
      { a: 1 },
      ['Invalid value: "a": spec.v.a in body is a forbidden property'],
    ],
    [{ type: 'string', format: 'ipv4' }, 'x', ['Invalid value: "x": spec.v in body must be of type ipv4: "x"']],
    [{ type: 'string', format: 'nobody-knows' }, 'x', []],
    [{ enum: [{ a: 1 }] }, { a: 1 }, []],
  ])('%j with %j', (schema, v, expected) => {
    expect(check(inSpec({ v: schema }), { spec: { v } })).toEqual(expected.map((text) => `spec.v: ${text}`));
  });

  it('checks the range of a format', () => {
    expect(check(inSpec({ v: { type: 'integer', format: 'int32' } }), { spec: { v: 3_000_000_000 } })).toEqual([
      '<nil>: Invalid value: "": Checked value must be of type integer with format int32 in spec.v',
    ]);
  });

  it('takes a pattern that backtracking engines hang on', () => {
    expect(check(inSpec({ v: { pattern: '^(a+)+$' } }), { spec: { v: `${'a'.repeat(5000)}!` } })).toHaveLength(1);
  });
});

describe('alternatives', () => {
  const either: JsonSchema[] = [{ required: ['a'] }, { required: ['b'], properties: { b: { minimum: 3 } } }];

  it('explain a failure by the alternative that came closest', () => {
    const schema = inSpec({
      v: { 'x-kubernetes-int-or-string': true, anyOf: [{ type: 'integer' }, { type: 'string' }] },
    });
    expect(check(schema, { spec: { v: {} } })).toEqual([
      'spec.v: Invalid value: "object": spec.v in body must be of type integer,string: "object"',
      '<nil>: Invalid value: "": "spec.v" must validate at least one schema (anyOf)',
      'spec.v: Invalid value: "object": spec.v in body must be of type integer: "object"',
    ]);
    expect(check(inSpec({ v: { anyOf: either } }), { spec: { v: { b: 1 } } })).toEqual([
      '<nil>: Invalid value: "": "spec.v" must validate at least one schema (anyOf)',
      'spec.v.b: Invalid value: 1: spec.v.b in body should be greater than or equal to 3',
    ]);
  });

  it('allow exactly one where one is asked for', () => {
    const schema = inSpec({ v: { oneOf: either } });
    expect(check(schema, { spec: { v: { a: 1 } } })).toEqual([]);
    expect(check(schema, { spec: { v: { a: 1, b: 5 } } })).toEqual([
      '<nil>: Invalid value: "": "spec.v" must validate one and only one schema (oneOf). Found 2 valid alternatives',
    ]);
    expect(check(schema, { spec: { v: {} } })[0]).toContain('Found none valid');
  });

  it('must all hold, or must not', () => {
    const all = inSpec({ v: { type: 'string', allOf: [{ type: 'string' }, { minLength: 3 }] } });
    expect(check(all, { spec: { v: 5 } })).toEqual([
      'spec.v: Invalid value: "integer": spec.v in body must be of type string: "integer"',
      '<nil>: Invalid value: "": "spec.v" must validate all the schemas (allOf)',
    ]);
    expect(check(inSpec({ v: { not: { enum: ['x'] } } }), { spec: { v: 'x' } })).toEqual([
      '<nil>: Invalid value: "": "spec.v" must not validate the schema (not)',
    ]);
  });
});

describe('paths', () => {
  it('start where the value stands', () => {
    const errors = compileSchema({ type: 'object', required: ['a'] }).validate({}, FieldPath.of('status'));
    expect(texts(errors)).toEqual(['status.a: Required value']);
    expect(texts(compileSchema({ type: 'string' }).validate(5, FieldPath.of('x')))).toEqual([
      'x: Invalid value: "integer":  in body must be of type string: "integer"',
    ]);
    expect(check({ type: 'object', required: ['spec'] }, {})).toEqual(['spec: Required value']);
  });
});

describe('updates', () => {
  const item: JsonSchema = {
    type: 'object',
    properties: { k: { type: 'string' }, v: { type: 'string', maxLength: 3 } },
  };
  const schema = inSpec({
    a: { type: 'string', pattern: '^ok$' },
    b: { type: 'string' },
    map: { type: 'array', 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': ['k'], items: item },
    list: { type: 'array', items: item },
    alt: { anyOf: [{ properties: { x: { maximum: 1 } } }], properties: { x: {}, y: {} }, type: 'object' },
  });
  const update = (spec: unknown, old: unknown) => texts(compileSchema(schema).validateUpdate({ spec }, { spec: old }));

  it('forgive what is as bad as it was', () => {
    expect(update({ a: 'bad', b: 'new' }, { a: 'bad', b: 'old' })).toEqual([]);
    expect(update({ a: 'worse' }, { a: 'bad' })).toHaveLength(1);
    expect(update({ a: 'bad' }, {})).toHaveLength(1);
  });

  it('follow elements of list-maps by their keys, and no others', () => {
    const [long, short] = [
      { k: 'x', v: 'too long' },
      { k: 'y', v: 'ok' },
    ];
    expect(update({ map: [short, long] }, { map: [long] })).toEqual([]);
    expect(update({ list: [short, long] }, { list: [long] })).toHaveLength(1);
    expect(update({ list: [long], b: '1' }, { list: [long] })).toEqual([]);
  });

  it('do not apply to alternatives', () => {
    expect(update({ alt: { x: 5, y: 1 } }, { alt: { x: 5 } })).toHaveLength(2);
    expect(update({ alt: { x: 5 }, b: '1' }, { alt: { x: 5 } })).toEqual([]);
  });
});

describe('lists', () => {
  const schema = inSpec({
    set: { type: 'array', 'x-kubernetes-list-type': 'set', items: { type: 'string' } },
    map: {
      type: 'array',
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['b', 'a'],
      items: { type: 'object' },
    },
  });
  const lists = (spec: unknown) => texts(compileSchema(schema).validateLists({ spec }));

  it('of type set and map have no element twice', () => {
    expect(lists({ set: ['a', 'b', 'a', 'b', 'a'] })).toEqual([
      'spec.set[2]: Duplicate value: "a"',
      'spec.set[3]: Duplicate value: "b"',
    ]);
    expect(
      lists({
        map: [
          { a: 1, b: 'z' },
          { a: 2, b: 'z' },
        ],
      }),
    ).toEqual([]);
    expect(
      lists({
        map: [
          { a: 1, b: 'z' },
          { b: 'z', a: 1, c: 1 },
        ],
      }),
    ).toEqual(['spec.map[1]: Duplicate value: {"a":1,"b":"z"}']);
    expect(lists({ map: ['x'] })).toEqual([
      'spec.map[0]: Invalid value: "x": must be an object for an array of list-type map',
    ]);
  });
});

describe('a schema that contains itself', () => {
  it('can be compiled and used', () => {
    const tree: { -readonly [K in keyof JsonSchema]: JsonSchema[K] } = { type: 'object' };
    tree.properties = { name: { type: 'string' }, children: { type: 'array', items: tree } };
    expect(check(tree, { children: [{ children: [{ name: 5 }] }] })).toEqual([
      'children[0].children[0].name: Invalid value: "integer": children[0].children[0].name in body must be of type string: "integer"',
    ]);
    expect(compileSchema(tree).validateLists({ children: [] })).toEqual([]);
  });
});
