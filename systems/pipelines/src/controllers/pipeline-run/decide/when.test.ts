import { describe, expect, it } from 'vitest';
import { allowsExecution, evaluateCel } from './when.ts';

describe('conditions', () => {
  it.each([
    ['in', ['a', 'b'], true],
    ['in', ['b'], false],
    ['notin', ['b'], true],
    ['notin', ['a'], false],
    ['in', [], false],
    ['notin', [], true],
  ])('a %s %j is %s', (operator, values, allowed) => {
    expect(allowsExecution([{ input: 'a', operator, values }], new Map())).toBe(allowed);
  });

  it('all have to hold', () => {
    const holds = { input: 'a', operator: 'in', values: ['a'] };
    expect(allowsExecution([holds, { ...holds, operator: 'notin' }], new Map())).toBe(false);
    expect(allowsExecution([], new Map())).toBe(true);
    expect(allowsExecution(undefined, new Map())).toBe(true);
  });

  it.each([
    ["'a' == 'a'", true],
    ["'foo-bar'.startsWith('foo')", true],
    ['1 > 2', false],
  ])('%s in CEL is %s', (cel, outcome) => {
    const outcomes = evaluateCel([{ cel }]);
    expect(allowsExecution([{ cel }], outcomes)).toBe(outcome);
  });

  it.each([
    ["'a' + 'b'", "The CEL expression 'a' + 'b' is not evaluated to a boolean"],
    ["int('x') == 1", "type conversion error from 'string' to 'int'"],
    ["int('9223372036854775808') == 1", "type conversion error from 'string' to 'int'"],
    ["duration('soon') == duration('1s')", "type conversion error from 'string' to 'google.protobuf.Duration'"],
    ["timestamp('now') == timestamp('then')", "type conversion error from 'string' to 'google.protobuf.Timestamp'"],
    [
      '1 < 2.5',
      "ERROR: <input>:1:3: found no matching overload for '_<_' applied to '(int, double)'\n | 1 < 2.5\n | ..^",
    ],
    ['no such thing', 'ERROR: <input>:1:4: Syntax error'],
    ['unknown', "undeclared reference to 'unknown'"],
  ])('%s in CEL is refused', (cel, message) => {
    expect(() => evaluateCel([{ cel }])).toThrow(message);
  });
});
