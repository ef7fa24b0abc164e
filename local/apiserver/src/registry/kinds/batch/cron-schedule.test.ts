import { describe, expect, it } from 'vitest';
import { scheduleProblem, timeZoneProblem } from './cron-schedule.ts';

describe('schedules', () => {
  it.each([
    ['* * * * *', undefined],
    ['*/5 0-6 1,15 JAN-MAR MON', undefined],
    ['@hourly', undefined],
    ['@every 1h30m', undefined],
    ['* * * *', 'expected exactly 5 fields, found 4: [* * * *]'],
    ['60 * * * *', 'end of range (60) above maximum (59): 60'],
    ['5-1 * * * *', 'beginning of range (5) beyond end of range (1): 5-1'],
    ['* * * FOO *', 'failed to parse int from FOO: strconv.Atoi: parsing "FOO": invalid syntax'],
    ['*/0 * * * *', 'step of range should be a positive number: */0'],
    ['@nope', 'unrecognized descriptor: @nope'],
  ])('are parsed as upstream does: %s', (schedule, expected) => expect(scheduleProblem(schedule)).toBe(expected));
});

describe('time zones', () => {
  it.each([
    ['Europe/Berlin', true],
    ['Etc/UTC', true],
    ['Mars/Olympus', false],
  ])('are known or unknown: %s', (zone, known) => expect(timeZoneProblem(zone) === undefined).toBe(known));
});
