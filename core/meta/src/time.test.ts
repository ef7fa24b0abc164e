import { describe, expect, it } from 'vitest';
import { humanDuration, shortHumanDuration } from './human-duration.ts';
import { formatMicroTime, formatTime, normalizeMicroTime, normalizeTime, parseTime } from './time.ts';

describe('times', () => {
  it.each([
    ['2024-05-01T12:00:00Z', '2024-05-01T12:00:00Z'],
    ['2024-05-01T12:00:00+02:00', '2024-05-01T10:00:00Z'],
    ['2024-05-01T12:00:00.999999999Z', '2024-05-01T12:00:00Z'],
    ['2024-02-29T23:30:00-01:00', '2024-03-01T00:30:00Z'],
    ['1969-12-31T23:59:59.5Z', '1969-12-31T23:59:59Z'],
    ['0001-01-01T00:00:01Z', '0001-01-01T00:00:01Z'],
    ['0001-01-01T00:00:00Z', null],
    ['9999-12-31T23:59:59Z', '9999-12-31T23:59:59Z'],
  ])('%s is stored as %s', (text, stored) => {
    expect(normalizeTime(text)).toBe(stored);
  });

  const layout = '"2006-01-02T15:04:05Z07:00"';
  it.each([
    ['yesterday', `parsing time "yesterday" as ${layout}: cannot parse "yesterday" as "2006"`],
    ['', `parsing time "" as ${layout}: cannot parse "" as "2006"`],
    ['2024', `parsing time "2024" as ${layout}: cannot parse "" as "-"`],
    ['2024-1-01T00:00:00Z', `parsing time "2024-1-01T00:00:00Z" as ${layout}: cannot parse "1-01T00:00:00Z" as "01"`],
    ['2024-13-01T00:00:00Z', 'parsing time "2024-13-01T00:00:00Z": month out of range'],
    ['2023-02-29T00:00:00Z', 'parsing time "2023-02-29T00:00:00Z": day out of range'],
    ['2024-01-01T24:00:00Z', 'parsing time "2024-01-01T24:00:00Z": hour out of range'],
    ['2024-01-01 00:00:00Z', `parsing time "2024-01-01 00:00:00Z" as ${layout}: cannot parse " 00:00:00Z" as "T"`],
    ['2024-01-01T00:00:00', `parsing time "2024-01-01T00:00:00" as ${layout}: cannot parse "" as "Z07:00"`],
    ['2024-01-01T00:00:00Zx', 'parsing time "2024-01-01T00:00:00Zx": extra text: "x"'],
    ['ä', `parsing time "\\xc3\\xa4" as ${layout}: cannot parse "\\xc3\\xa4" as "2006"`],
  ])('refuses %j in the words of Go', (text, message) => {
    expect(() => parseTime(text)).toThrow(expect.objectContaining({ message }));
  });

  it('wants exactly six digits in a MicroTime', () => {
    expect(normalizeMicroTime('2024-01-01T01:00:00.123456+01:00')).toBe('2024-01-01T00:00:00.123456Z');
    expect(() => normalizeMicroTime('2024-01-01T00:00:00.5Z')).toThrow(
      'parsing time "2024-01-01T00:00:00.5Z" as "2006-01-02T15:04:05.000000Z07:00": cannot parse ".5Z" as ".000000"',
    );
  });

  it('prints milliseconds of a clock', () => {
    expect(formatTime(1714557600999)).toBe('2024-05-01T10:00:00Z');
    expect(formatMicroTime(1714557600007)).toBe('2024-05-01T10:00:00.007000Z');
    expect(formatTime(-1)).toBe('1969-12-31T23:59:59Z');
  });
});

describe('ages', () => {
  const second = 1000;
  const [minute, hour, day] = [60 * second, 3600 * second, 86_400 * second];
  it.each([
    [-5 * second, '<invalid>', '<invalid>'],
    [-1 * second, '0s', '0s'],
    [119 * second, '119s', '1m'],
    [2 * minute, '2m', '2m'],
    [9 * minute + 5 * second, '9m5s', '9m'],
    [11 * minute, '11m', '11m'],
    [3 * hour, '3h', '3h'],
    [3 * hour + 5 * minute, '3h5m', '3h'],
    [9 * hour, '9h', '9h'],
    [47 * hour, '47h', '1d'],
    [50 * hour, '2d2h', '2d'],
    [8 * day, '8d', '8d'],
    [365 * day, '365d', '1y'],
    [3 * 365 * day + day, '3y1d', '3y'],
    [9 * 365 * day + day, '9y', '9y'],
  ])('%d ms is %s, or shorter %s', (milliseconds, long, short) => {
    expect(humanDuration(milliseconds)).toBe(long);
    expect(shortHumanDuration(milliseconds)).toBe(short);
  });
});
