import { expectTypeOf } from 'expect-type';
import { describe, expect, it } from 'vitest';
import { defineErrors, type ErrorCode } from './define-errors.ts';

const codes = {
  LOST: { when: 'the connection was lost', fix: 'try again' },
  LATE: { when: 'the response took too long', fix: 'raise the timeout' },
};
const ours = defineErrors('sample', 'SampleError', codes);
const others = defineErrors('other', 'OtherSampleError', codes);

describe('an error of a registry', () => {
  it('has a name, a code, a message and a cause', () => {
    const cause = new Error('reset');
    const error = new ours.Error('LOST', 'no connection to x', { cause });
    expect(error).toBeInstanceOf(Error);
    expect(error).toMatchObject({ name: 'SampleError', code: 'LOST', message: 'no connection to x', cause });
    expect(String(error)).toBe('SampleError: no connection to x');
  });

  it('has no cause where none was given', () => {
    expect('cause' in new ours.Error('LOST', 'x')).toBe(false);
  });

  it('can be extended by a class with more fields', () => {
    class PlacedError extends ours.Error {
      readonly line = 3;
    }
    const error = new PlacedError('LATE', 'x');
    expect(error.line).toBe(3);
    expect(ours.is(error, 'LATE')).toBe(true);
  });
});

describe('the guard of a registry', () => {
  it('recognises errors of the registry, and their codes', () => {
    const error = new ours.Error('LOST', 'x');
    expect([ours.is(error), ours.is(error, 'LOST'), ours.is(error, 'LATE'), ours.is(error, 'LATE', 'LOST')]).toEqual([
      true,
      true,
      false,
      true,
    ]);
  });

  it('recognises errors of another copy of the registry', () => {
    const copy = defineErrors('sample', 'SampleError', codes);
    expect(ours.is(new copy.Error('LOST', 'x'))).toBe(true);
  });

  it('recognises nothing else', () => {
    const rest = [new others.Error('LOST', 'x'), new Error('LOST'), { code: 'LOST' }, 'LOST', null, undefined];
    expect(rest.map((error) => ours.is(error))).toEqual(rest.map(() => false));
  });
});

it('the codes of a registry are a union of literals', () => {
  expectTypeOf<ErrorCode<typeof ours>>().toEqualTypeOf<'LOST' | 'LATE'>();
  // @ts-expect-error: not a code of this registry.
  expect(ours.is(undefined, 'GONE')).toBe(false);
});
