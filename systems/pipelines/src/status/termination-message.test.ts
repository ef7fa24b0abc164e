import { describe, expect, it } from 'vitest';
import {
  parseTerminationMessage,
  TerminationMessageError,
  reportedExitCode,
  reportedReason,
  reportedStart,
  visibleMessage,
} from './termination-message.ts';

describe('a termination message', () => {
  it.each([
    ['nothing', '', ''],
    ['null', 'null', ''],
    ['items without anything', '[null,{}]', ''],
    ['names in any case', '[{"KEY":"s","Value":"x","type":1}]', '[{"key":"s","value":"x","type":1}]'],
    ['an unknown type', '[{"key":"s","value":"x","type":99}]', '[{"key":"s","value":"x","type":99}]'],
    ['no type', '[{"key":"s","value":"x"}]', '[{"key":"s","value":"x"}]'],
    ['a type by name', '[{"key":"s","value":"x","type":"StepResult"}]', '[{"key":"s","value":"x","type":4}]'],
    [
      'a type by a name of something else',
      '[{"key":"s","value":"x","type":"__proto__"}]',
      '[{"key":"s","value":"x","type":10}]',
    ],
    ['no value', '[{"key":"s","type":1}]', '[{"key":"s","value":"","type":1}]'],
    ['what is internal', '[{"key":"StartedAt","value":"x","type":3}]', ''],
  ])('of %s is shown as Go would', (_, message, shown) => {
    expect(visibleMessage(parseTerminationMessage(message))).toBe(shown);
  });

  it.each(['hello', '{}', '5', '[1]', '[{"key":"s","value":5}]', '[{"key":"s","type":1.5}]', '[["s"]]'])(
    'cannot be %s',
    (message) => {
      expect(() => parseTerminationMessage(message)).toThrow(TerminationMessageError);
    },
  );
});

const entry = (key: string, value: string, type = 3) => [{ key, value, type }];

describe('entries of the entrypoint', () => {
  it.each([
    ['0', 0],
    ['-1', -1],
    ['2147483647', 2_147_483_647],
    ['2147483648', undefined],
    ['abc', undefined],
    ['', undefined],
    ['1.5', undefined],
  ])('as exit code %s is %s', (text, code) => {
    expect(reportedExitCode(entry('ExitCode', text))).toBe(code);
  });

  it.each([
    ['2026-01-02T03:04:05.678Z', '2026-01-02T03:04:05Z'],
    ['2026-01-02T03:04:05.678+02:00', '2026-01-02T01:04:05Z'],
    ['2026-01-02T03:04:05Z', undefined],
    ['2026-13-02T03:04:05.678Z', undefined],
    ['yesterday', undefined],
  ])('as start %s is %s', (text, time) => {
    expect(reportedStart(entry('StartedAt', text))).toBe(time);
  });

  it('counts for start and exit code also in a result of that name, and not for the reason', () => {
    expect(reportedExitCode(entry('ExitCode', '7', 1))).toBe(7);
    expect(reportedReason(entry('Reason', 'Skipped', 1))).toBeUndefined();
    expect(reportedReason(entry('Reason', 'Skipped'))).toBe('Skipped');
  });
});
