import { describe, expect, it } from 'vitest';
import { conflictError, serviceUnavailableError, tooManyRequestsError } from './status-error.ts';
import { isTerminalError, isTransient, isTransientStatus, TerminalError } from './terminal-error.ts';

const target = { group: '', resource: 'pods' };

describe('a terminal error', () => {
  it('is recognised by its guard and keeps its cause', () => {
    const cause = new Error('404');
    const error = new TerminalError('there is no such image', { cause });
    expect(isTerminalError(error)).toBe(true);
    expect(error).toMatchObject({ name: 'TerminalError', code: 'TERMINAL', message: 'there is no such image', cause });
  });

  it('is no other error', () => {
    expect([new Error('x'), serviceUnavailableError('x'), undefined].map(isTerminalError)).toEqual([
      false,
      false,
      false,
    ]);
  });
});

describe('a transient error', () => {
  it('is an answer of a server that is overloaded or failed', () => {
    expect([serviceUnavailableError('x'), tooManyRequestsError('x', 1)].map(isTransient)).toEqual([true, true]);
  });

  it('is neither a conflict nor an error that is no answer', () => {
    expect([conflictError(target, 'a'), new TerminalError('x'), new Error('x')].map(isTransient)).toEqual([
      false,
      false,
      false,
    ]);
  });

  it.each([
    [404, false],
    [409, false],
    [429, true],
    [500, true],
    [503, true],
  ])('has the status %i: %s', (status, expected) => {
    expect(isTransientStatus(status)).toBe(expected);
  });
});
