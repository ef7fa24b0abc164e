import { type FieldError, formatFieldError } from '@tektite/meta';
import { describe, expect, it } from 'vitest';
import type { JsonSchema, ValidationRule } from '../structural-schema.ts';
import { compileRuleValidator } from './rule-validator.ts';

const rules = (...list: (string | ValidationRule)[]): Pick<JsonSchema, 'x-kubernetes-validations'> => ({
  'x-kubernetes-validations': list.map((rule) => (typeof rule === 'string' ? { rule } : rule)),
});

function check(schema: JsonSchema, value: unknown, old?: unknown, ratcheting = old !== undefined): string[] {
  const validator = compileRuleValidator(schema, true);
  return (validator?.validate(value, old, { ratcheting }).errors ?? []).map((error: FieldError) =>
    formatFieldError(error),
  );
}

const spec = (schema: JsonSchema): JsonSchema => ({
  type: 'object',
  properties: { spec: { type: 'object', ...schema } },
});

describe('rules', () => {
  it('see fields with the types of the schema', () => {
    const schema = spec({
      properties: {
        i: { type: 'integer' },
        n: { type: 'number' },
        d: { type: 'string', format: 'duration' },
        t: { type: 'string', format: 'date-time' },
        b: { type: 'string', format: 'byte' },
        'my-field': { type: 'string' },
        in: { type: 'boolean' },
        ios: { 'x-kubernetes-int-or-string': true },
        m: { type: 'object', additionalProperties: { type: 'integer' } },
      },
      ...rules(
        'self.i + 1 == 6',
        'self.n / 2.0 == 1.0',
        'self.d > duration("1h")',
        'self.t.getFullYear() == 2024',
        'size(self.b) == 2',
        'self.my__dash__field == "x"',
        'self.__in__',
        'type(self.ios) == int ? self.ios == 5 : self.ios == "5%"',
        'self.m.all(k, k.startsWith("k")) && self.m["k1"] == 1',
      ),
    });
    const value = {
      i: 5,
      n: 2,
      d: '90m',
      t: '2024-05-01T00:00:00Z',
      b: 'aGk=',
      'my-field': 'x',
      in: true,
      ios: 5,
      m: { k1: 1 },
    };
    expect(check(schema, { spec: value })).toEqual([]);
    expect(check(schema, { spec: { ...value, i: 6 } })).toEqual(['spec: Invalid value: failed rule: self.i + 1 == 6']);
  });

  it('always see the name of an object', () => {
    const schema = { ...spec({}), ...rules('self.metadata.name.startsWith("a")') };
    expect(check(schema, { metadata: { name: 'b' }, spec: {} })).toEqual([
      '<nil>: Invalid value: failed rule: self.metadata.name.startsWith("a")',
    ]);
  });

  it('print scalars, and neither objects nor lists', () => {
    const bad = { rule: 'false', message: 'no' };
    const schema = spec({
      properties: {
        s: { type: 'string', ...rules(bad) },
        i: { type: 'integer', ...rules(bad) },
        l: { type: 'array', items: { type: 'string' }, ...rules(bad) },
      },
    });
    expect(check(schema, { spec: { s: 'x', i: 1, l: [] } })).toEqual([
      'spec.s: Invalid value: "x": no',
      'spec.i: Invalid value: 1: no',
      'spec.l: Invalid value: no',
    ]);
  });

  it.each<[ValidationRule, string]>([
    [{ rule: 'self.a == 1', message: 'must be one' }, 'spec: Invalid value: must be one'],
    [{ rule: 'self.a == 1', messageExpression: '"is " + string(self.a)' }, 'spec: Invalid value: is 2'],
    [{ rule: 'self.a == 1', messageExpression: 'self.a > 0 ? "" : "x"', message: 'm' }, 'spec: Invalid value: m'],
    [{ rule: 'self.a == 1', messageExpression: '"a\\nb"' }, 'spec: Invalid value: failed rule: self.a == 1'],
    [{ rule: 'self.a == 1', messageExpression: 'string(1/(self.a-2))', message: 'm' }, 'spec: Invalid value: m'],
    [{ rule: 'self.a == 1', reason: 'FieldValueForbidden', message: 'm' }, 'spec: Forbidden: m'],
    [{ rule: 'self.a == 1', reason: 'FieldValueRequired', message: 'm' }, 'spec: Required value: m'],
    [{ rule: 'self.a == 1', reason: 'FieldValueDuplicate', message: 'm' }, 'spec: Duplicate value'],
    [{ rule: 'self.a == 1', fieldPath: '.a', message: 'm' }, 'spec.a: Invalid value: m'],
    [{ rule: 'self.a / 0 == 1' }, 'spec: Invalid value: "object": division by zero evaluating rule: self.a / 0 == 1'],
    [
      { rule: 'self.nosuch == 1' },
      'spec: Invalid value: "object": no such key: nosuch evaluating rule: self.nosuch == 1',
    ],
  ])('evaluate %j', (rule, expected) => {
    const schema = spec({ properties: { a: { type: 'integer' }, nosuch: { type: 'integer' } }, ...rules(rule) });
    expect(check(schema, { spec: { a: 2 } })).toEqual([expected]);
  });

  it('explain arguments that do not fit at run time', () => {
    const schema = spec({
      properties: { ios: { 'x-kubernetes-int-or-string': true } },
      ...rules('self.ios.startsWith("a")'),
    });
    expect(check(schema, { spec: { ios: 5 } })).toEqual([
      'spec: Invalid value: "object": \'no such overload\': call arguments did not match a supported operator, function or macro signature for rule: self.ios.startsWith("a")',
    ]);
  });
});

describe('transition rules', () => {
  const schema = spec({
    properties: {
      imm: { type: 'string', ...rules({ rule: 'self == oldSelf', message: 'imm is immutable' }) },
      opt: {
        type: 'string',
        ...rules({ rule: 'oldSelf.hasValue() || self == "start"', optionalOldSelf: true, message: 'must start' }),
      },
      l: {
        type: 'array',
        'x-kubernetes-list-type': 'map',
        'x-kubernetes-list-map-keys': ['k'],
        items: {
          type: 'object',
          properties: {
            k: { type: 'string' },
            v: { type: 'integer', ...rules({ rule: 'self >= oldSelf', message: 'shrinks' }) },
          },
        },
      },
    },
    ...rules({ rule: '!has(oldSelf.imm) || has(self.imm)', message: 'imm cannot be removed' }),
  });

  it('do not run without something to compare with', () => {
    expect(check(schema, { spec: { imm: 'x' } })).toEqual([]);
    expect(check(schema, { spec: { opt: 'wrong' } })).toEqual(['spec.opt: Invalid value: "wrong": must start']);
  });

  it('compare old and new, also inside of list-maps', () => {
    expect(check(schema, { spec: { imm: 'y' } }, { spec: { imm: 'x' } })).toEqual([
      'spec.imm: Invalid value: "y": imm is immutable',
    ]);
    expect(check(schema, { spec: {} }, { spec: { imm: 'x' } })).toEqual(['spec: Invalid value: imm cannot be removed']);
    expect(check(schema, { spec: { opt: 'later' } }, { spec: { opt: 'start' } })).toEqual([]);
    expect(
      check(
        schema,
        {
          spec: {
            l: [
              { k: 'b', v: 4 },
              { k: 'a', v: 1 },
            ],
          },
        },
        {
          spec: {
            l: [
              { k: 'a', v: 1 },
              { k: 'b', v: 5 },
            ],
          },
        },
      ),
    ).toEqual(['spec.l[0].v: Invalid value: 4: shrinks']);
    expect(check(schema, { spec: { l: [{ k: 'c', v: 0 }] } }, { spec: { l: [{ k: 'a', v: 1 }] } })).toEqual([]);
  });
});

describe('ratcheting', () => {
  const schema = spec({
    properties: {
      a: { type: 'integer', ...rules('self > 5') },
      l: { type: 'array', items: { type: 'integer', ...rules('self > 5') } },
      b: { type: 'integer' },
    },
  });

  it('forgives rules that fail on what has not changed', () => {
    expect(check(schema, { spec: { a: 1, b: 2 } }, { spec: { a: 1, b: 1 } })).toEqual([]);
    expect(check(schema, { spec: { a: 2 } }, { spec: { a: 1 } })).toHaveLength(1);
    expect(check(schema, { spec: { l: [1], b: 2 } }, { spec: { l: [1], b: 1 } })).toEqual([]);
    expect(check(schema, { spec: { l: [1, 6] } }, { spec: { l: [1] } })).toEqual([
      'spec.l[0]: Invalid value: 1: failed rule: self > 5',
    ]);
  });
});

describe('budgets', () => {
  it('end a rule that costs too much, and all after it', () => {
    const schema = spec({
      properties: { l: { type: 'array', items: { type: 'integer' } } },
      ...rules('self.l.all(x, self.l.all(y, self.l.all(z, x + y + z >= 0)))', 'false'),
    });
    const value = { spec: { l: Array.from({ length: 1000 }, (_, index) => index) } };
    expect(check(schema, value)).toEqual([
      `spec: Invalid value: "object": 'operation cancelled: actual cost limit exceeded': no further validation rules will be run due to call cost exceeds limit for rule: self.l.all(x, self.l.all(y, self.l.all(z, x + y + z >= 0)))`,
    ]);
  });

  it('end the rules of an object that cost too much together', () => {
    const item: JsonSchema = {
      type: 'array',
      items: { type: 'integer' },
      ...rules('self.all(x, self.all(y, x + y >= 0))'),
    };
    const schema = spec({ properties: { l: { type: 'array', items: item } } });
    const row = Array.from({ length: 300 }, (_, index) => index);
    const errors = check(schema, { spec: { l: Array.from({ length: 40 }, () => row) } });
    expect(errors).toHaveLength(1);
    expect(errors[0]).toContain(
      'validation failed due to running out of cost budget, no further validation rules will be run',
    );
  });
});

describe('lists', () => {
  const list: JsonSchema = {
    type: 'array',
    'x-kubernetes-list-type': 'map',
    'x-kubernetes-list-map-keys': ['k'],
    items: { type: 'object', properties: { k: { type: 'string' }, v: { type: 'integer' } } },
  };
  const set: JsonSchema = { type: 'array', 'x-kubernetes-list-type': 'set', items: { type: 'string' } };

  it('that stand for sets and maps compare and add as such', () => {
    const schema = spec({
      properties: { a: list, s: set },
      ...rules(
        'self.a == oldSelf.a',
        'size(self.a + oldSelf.a) == 2',
        'self.s == oldSelf.s',
        'self.s + oldSelf.s == self.s',
      ),
    });
    const [x, y] = [
      { k: 'x', v: 1 },
      { k: 'y', v: 2 },
    ];
    expect(check(schema, { spec: { a: [x, y], s: ['p', 'q'] } }, { spec: { a: [y, x], s: ['q', 'p'] } })).toEqual([]);
  });
});
