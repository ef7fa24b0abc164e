import { describe, expect, it } from 'vitest';
import { FieldPath } from './field-path.ts';
import { formatFieldError } from './field-error.ts';
import { formatLabelSelector, labelSelectorOf, parseLabelSelector, validateLabelSelector } from './label-selector.ts';

const key64 = 'a'.repeat(64);

describe('parseLabelSelector', () => {
  it.each([
    ['', ''],
    ['a', 'a'],
    ['!a', '!a'],
    ['a=b', 'a=b'],
    ['a==b', 'a==b'],
    [' a != b ', 'a!=b'],
    ['b=1,a=2', 'a=2,b=1'],
    ['x in (foo,,baz),y,z notin ()', 'x in (,baz,foo),y,z notin ()'],
    ['x in (b,a,b)', 'x in (a,b)'],
    ['a=,b', 'a=,b'],
    ['x in (in,notin)', 'x in (in,notin)'],
    ['in=in', 'in=in'],
    ['a>1,b<2', 'a>1,b<2'],
    ['example.com/a in (x)', 'example.com/a in (x)'],
  ])('reads %j and prints it as %j', (text, canonical) => {
    expect(parseLabelSelector(text).toString()).toBe(canonical);
    expect(parseLabelSelector(canonical).toString()).toBe(canonical);
  });

  it.each([
    ['a=b', { a: 'b' }, true],
    ['a=b', { a: 'c' }, false],
    ['a=b', {}, false],
    ['a!=b', {}, true],
    ['a!=b', { a: 'b' }, false],
    ['a in (b,c)', { a: 'c' }, true],
    ['a notin (b,c)', { a: 'c' }, false],
    ['a notin (b,c)', {}, true],
    ['a', { a: '' }, true],
    ['!a', { a: '' }, false],
    ['a>5', { a: '10' }, true],
    ['a>5', { a: '5' }, false],
    ['a<5', { a: '-1' }, true],
    ['a<5', { a: 'x' }, false],
    ['a=b,c', { a: 'b' }, false],
    ['!toString', {}, true],
  ] as const)('%j on %o is %s', (text, labels, expected) => {
    expect(parseLabelSelector(text).matches(labels)).toBe(expected);
  });

  it.each([
    ['=b', "found '=', expected: !, identifier, or 'end of string'"],
    ['a,', "found '', expected: identifier after ','"],
    ['a b', "unable to parse requirement: found 'b', expected: in, notin, =, ==, !=, gt, lt"],
    ['a in b', "unable to parse requirement: found 'b' expected: '('"],
    ['a in (b', "unable to parse requirement: found '', expected: ',' or ')'"],
    ['a in (b c)', "unable to parse requirement: found 'c', expected: ',' or ')'"],
    ['a in (=)', "unable to parse requirement: found '=', expected: ',', ')' or identifier"],
    ['a=b=c', "found '=', expected: ',' or 'end of string'"],
    ['a==(', "unable to parse requirement: found '(', expected: identifier"],
    ['!a=b', "found '=', expected: ',' or 'end of string'"],
    ['!', "unable to parse requirement: found '', expected: identifier"],
    [
      'a>x',
      "unable to parse requirement: values[0]: Invalid value: \"x\": for 'Gt', 'Lt' operators, the value must be an integer",
    ],
    [key64, `unable to parse requirement: <nil>: Invalid value: "${key64}": name part must be no more than 63 bytes`],
    [
      `a=${key64}`,
      `unable to parse requirement: values[0][a]: Invalid value: "${key64}": must be no more than 63 bytes`,
    ],
  ])('refuses %j', (text, message) => {
    expect(() => parseLabelSelector(text)).toThrow(expect.objectContaining({ message }));
  });
});

describe('labelSelectorOf', () => {
  it('selects nothing without a selector, and everything with an empty one', () => {
    expect(labelSelectorOf(undefined).matches({})).toBe(false);
    expect(labelSelectorOf({}).matches({ a: 'b' })).toBe(true);
  });

  it('joins labels and expressions', () => {
    const selector = labelSelectorOf({
      matchLabels: { b: '1' },
      matchExpressions: [
        { key: 'a', operator: 'In', values: ['y', 'x'] },
        { key: 'c', operator: 'DoesNotExist' },
      ],
    });
    expect(selector.toString()).toBe('a in (x,y),b=1,!c');
    expect(selector.matches({ a: 'x', b: '1' })).toBe(true);
  });

  it('refuses operators it does not know and empty sets', () => {
    expect(() => labelSelectorOf({ matchExpressions: [{ key: 'a', operator: 'Gt', values: ['1'] }] })).toThrow(
      '"Gt" is not a valid label selector operator',
    );
    expect(() => labelSelectorOf({ matchExpressions: [{ key: 'a', operator: 'In' }] })).toThrow(
      "values: Invalid value: null: for 'in', 'notin' operators, values set can't be empty",
    );
    expect(formatLabelSelector({ matchExpressions: [{ key: 'a', operator: 'Gt' }] })).toBe('<error>');
    expect(formatLabelSelector({})).toBe('<none>');
  });

  it('lists what is wrong with a selector inside an object', () => {
    const errors = validateLabelSelector(
      {
        matchLabels: { a: '-' },
        matchExpressions: [
          { key: 'a', operator: 'In' },
          { key: 'a', operator: 'Exists', values: ['x'] },
          { key: '', operator: 'Near' },
        ],
      },
      FieldPath.of('spec', 'selector'),
    );
    expect(errors.map(formatFieldError).map((text) => text.slice(0, 75))).toEqual([
      'spec.selector.matchLabels: Invalid value: "-": a valid label must be an emp',
      'spec.selector.matchExpressions[0].values: Required value: must be specified',
      'spec.selector.matchExpressions[1].values: Forbidden: may not be specified w',
      'spec.selector.matchExpressions[2].operator: Invalid value: "Near": not a va',
      'spec.selector.matchExpressions[2].key: Invalid value: "": name part must be',
      'spec.selector.matchExpressions[2].key: Invalid value: "": name part must co',
    ]);
  });
});
