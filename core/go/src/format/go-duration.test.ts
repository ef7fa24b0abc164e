import { describe, expect, it } from 'vitest';
import { formatGoDuration, parseGoDuration } from './go-duration.ts';

describe('Go durations', () => {
  it.each([
    ['0', '0s'],
    ['1s', '1s'],
    ['90s', '1m30s'],
    ['1h', '1h0m0s'],
    ['1.5h', '1h30m0s'],
    ['100ms', '100ms'],
    ['1500us', '1.5ms'],
    ['10ns', '10ns'],
    ['-1m', '-1m0s'],
    ['+1h15m30.918s', '1h15m30.918s'],
    ['.5s', '500ms'],
    ['2562047h47m16.854775807s', '2562047h47m16.854775807s'],
  ])('%s prints as %s', (text, printed) => {
    expect(formatGoDuration(parseGoDuration(text))).toBe(printed);
  });

  it.each([
    ['', 'time: invalid duration ""'],
    ['abc', 'time: invalid duration "abc"'],
    ['1', 'time: missing unit in duration "1"'],
    ['1d', 'time: unknown unit "d" in duration "1d"'],
    ['.s', 'time: invalid duration ".s"'],
    ['9999999h', 'time: invalid duration "9999999h"'],
  ])('refuses %j', (text, message) => {
    expect(() => parseGoDuration(text)).toThrow(expect.objectContaining({ message }));
  });
});
