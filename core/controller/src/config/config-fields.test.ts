import { formatGoDuration } from '@tektite/go';
import { Quantity } from '@tektite/meta';
import { describe, expect, test } from 'vitest';
import {
  booleanField,
  type ConfigField,
  durationField,
  enumField,
  integerField,
  listField,
  numberField,
  quantityField,
  readField,
  stringField,
  yamlField,
} from './config-fields.ts';

const names = (value: unknown): readonly string[] => {
  if (!Array.isArray(value)) throw new Error('is no list');
  return value as string[];
};

describe('a setting', () => {
  test.each<[string, ConfigField<unknown>, string, unknown]>([
    ['true', booleanField(), 'true', true],
    ['T', booleanField(), 'T', true],
    ['0', booleanField(), '0', false],
    ['a whole number', integerField(), '-12', -12],
    ['a whole number within limits', integerField({ minimum: 0, maximum: 60 }), '60', 60],
    ['a fraction', numberField(), '0.5', 0.5],
    ['an exponent', numberField(), '1e-3', 0.001],
    ['one of a few words', enumField('alpha', 'beta'), 'beta', 'beta'],
    ['a text', stringField(), '', ''],
    ['a list', listField(), ' a, b,,c ', ['a', 'b', 'c']],
    ['a list of numbers', listField(integerField()), '1,2', [1, 2]],
    ['an empty list', listField(), '', []],
    ['a block of YAML', yamlField(names), '- a\n- b\n', ['a', 'b']],
  ])('can be %s', (_, field, text, value) => {
    expect(field(text)).toEqual(value);
  });

  test('can be a duration as Go reads it', () => {
    expect(formatGoDuration(durationField()('90m'))).toBe('1h30m0s');
  });

  test('can be a quantity', () => {
    expect(quantityField()('1.5Gi').toString()).toBe(Quantity.parse('1536Mi').toString());
  });

  test.each<[string, ConfigField<unknown>, string, string]>([
    ['no boolean', booleanField(), 'yes', 'key "k": "yes" is neither true nor false'],
    ['an empty boolean', booleanField(), '', 'key "k": "" is neither true nor false'],
    ['no whole number', integerField(), '1.5', 'key "k": "1.5" is no whole number'],
    ['too large to be exact', integerField(), '9007199254740993', 'key "k": "9007199254740993" is no whole number'],
    ['too small', integerField({ minimum: 1 }), '0', 'key "k": 0 is less than 1, the least allowed'],
    ['too large', numberField({ maximum: 1 }), '1.5', 'key "k": 1.5 is more than 1, the most allowed'],
    ['no number', numberField(), 'Infinity', 'key "k": "Infinity" is no number'],
    ['no duration', durationField(), 'soon', 'key "k": time: invalid duration "soon"'],
    ['too short', durationField({ minimum: 1n }), '0s', 'key "k": "0s" is too short'],
    ['another word', enumField('alpha', 'beta'), 'gamma', 'key "k": "gamma" is none of "alpha", "beta"'],
    ['too long', stringField({ maxLength: 2 }), 'abc', 'key "k": longer than 2 characters'],
    ['a list with a bad element', listField(integerField()), '1,x', 'key "k": "x" is no whole number'],
    ['YAML of another form', yamlField(names), 'a: 1', 'key "k": is no list'],
    ['several YAML documents', yamlField(names), '- a\n---\n- b', 'key "k": more than one YAML document'],
  ])('that is %s is refused by name', (_, field, text, message) => {
    expect(() => readField('k', text, field)).toThrow(
      expect.objectContaining({ name: 'ConfigError', key: 'k', message }),
    );
  });

  test('that is no quantity or no YAML is refused by name', () => {
    expect(() => readField('k', '1 apple', quantityField())).toThrow(/^key "k": /);
    expect(() => readField('k', 'a: [', yamlField(names))).toThrow(/^key "k": /);
  });
});
