import { parseGoDuration } from '@tektite/go';
import { type Instant, parseTime } from '@tektite/meta';
import { declare, type FunctionDeclaration, method, type Overload } from '../language/declarations.ts';
import { EvaluationError } from '../language/evaluation.ts';
import { durationType, intType, stringType, timestampType } from '../language/type.ts';
import { Duration, Timestamp } from '../language/value.ts';

const second = 1_000_000_000n;
const earliest = -62_135_596_800n * second;
const latest = 253_402_300_800n * second;

export function checkDuration(nanoseconds: bigint): Duration {
  if (nanoseconds >= 2n ** 63n || nanoseconds < -(2n ** 63n)) throw new EvaluationError('integer overflow');
  return new Duration(nanoseconds);
}

/** Years 1 to 9999. */
export function checkTimestamp(nanoseconds: bigint): Timestamp {
  if (nanoseconds < earliest || nanoseconds >= latest) throw new EvaluationError('timestamp overflow');
  return new Timestamp(nanoseconds);
}

export function timestampOf({ seconds, nanoseconds }: Instant): Timestamp {
  return checkTimestamp(BigInt(seconds) * second + BigInt(nanoseconds));
}

/** Reads RFC 3339; throws an EvaluationError. */
export function parseTimestamp(text: string): Timestamp {
  try {
    return timestampOf(parseTime(text));
  } catch (error) {
    if (error instanceof EvaluationError) throw error;
    throw new EvaluationError(error instanceof Error ? error.message : String(error));
  }
}

/** Reads a duration of Go; throws an EvaluationError. */
export function parseDuration(text: string): Duration {
  try {
    return new Duration(parseGoDuration(text));
  } catch (error) {
    throw new EvaluationError(error instanceof Error ? error.message : String(error));
  }
}

/** Whole seconds and the rest, which is never negative. */
function splitSeconds(nanoseconds: bigint): [bigint, bigint] {
  const rest = ((nanoseconds % second) + second) % second;
  return [(nanoseconds - rest) / second, rest];
}

export function formatTimestamp({ nanoseconds }: Timestamp): string {
  const [seconds, rest] = splitSeconds(nanoseconds);
  const base = new Date(Number(seconds) * 1000).toISOString().slice(0, 19);
  const fraction = rest === 0n ? '' : `.${rest.toString().padStart(9, '0').replace(/0+$/, '')}`;
  return `${base}${fraction}Z`;
}

/** Seconds with a fraction: `3.5s`. */
export function formatDuration({ nanoseconds }: Duration): string {
  const sign = nanoseconds < 0n ? '-' : '';
  const value = nanoseconds < 0n ? -nanoseconds : nanoseconds;
  const fraction = (value % second).toString().padStart(9, '0').replace(/0+$/, '');
  return `${sign}${value / second}${fraction === '' ? '' : `.${fraction}`}s`;
}

/** The moment as a clock in that zone shows it, in a Date whose UTC fields are to be read. */
function inZone({ nanoseconds }: Timestamp, zone: string): Date {
  const milliseconds = Number(nanoseconds / 1_000_000n);
  if (zone === '' || zone === 'UTC') return new Date(milliseconds);
  const offset = /^([+-]?)([0-9]{1,2}):([0-9]{2})$/.exec(zone);
  if (offset) {
    const minutes = Number(offset[2]) * 60 + Number(offset[3]);
    return new Date(milliseconds + (offset[1] === '-' ? -minutes : minutes) * 60_000);
  }
  return new Date(milliseconds + zoneOffset(milliseconds, zone));
}

const zones = new Map<string, Intl.DateTimeFormat>();
const maxZones = 500;

/** Making a formatter is slow, so each is made once. */
function zoneFormat(zone: string): Intl.DateTimeFormat {
  let format = zones.get(zone);
  if (!format) {
    format = new Intl.DateTimeFormat('en-US', { timeZone: zone, timeZoneName: 'longOffset' });
    if (zones.size >= maxZones) zones.clear();
    zones.set(zone, format);
  }
  return format;
}

function zoneOffset(milliseconds: number, zone: string): number {
  try {
    const parts = zoneFormat(zone).formatToParts(milliseconds);
    const name = parts.find(({ type }) => type === 'timeZoneName')?.value ?? '';
    const match = /^GMT(?:([+-])([0-9]{2}):([0-9]{2})(?::([0-9]{2}))?)?$/.exec(name);
    const seconds = Number(match?.[2] ?? 0) * 3600 + Number(match?.[3] ?? 0) * 60 + Number(match?.[4] ?? 0);
    return (match?.[1] === '-' ? -seconds : seconds) * 1000;
  } catch {
    throw new EvaluationError(`unknown time zone ${zone}`);
  }
}

function dayOfYear(date: Date): number {
  return Math.floor(
    (Date.UTC(date.getUTCFullYear(), date.getUTCMonth(), date.getUTCDate()) - Date.UTC(date.getUTCFullYear(), 0, 1)) /
      86_400_000,
  );
}

/** A part of a moment, in UTC or in the zone given. */
function timestampPart(id: string, read: (date: Date) => number): Overload[] {
  return [
    method(`timestamp_to_${id}`, [timestampType], intType, (time: Timestamp) => BigInt(read(inZone(time, '')))),
    method(`timestamp_to_${id}_with_tz`, [timestampType, stringType], intType, (time: Timestamp, zone: string) =>
      BigInt(read(inZone(time, zone))),
    ),
  ];
}

const durationPart = (id: string, unit: bigint, modulo?: bigint): Overload =>
  method(`duration_to_${id}`, [durationType], intType, ({ nanoseconds }: Duration) => {
    const value = nanoseconds / unit;
    return modulo === undefined ? value : value % modulo;
  });

/** Parts of moments and durations. */
export const timeLibrary: readonly FunctionDeclaration[] = [
  declare('getFullYear', ...timestampPart('year', (date) => date.getUTCFullYear())),
  declare('getMonth', ...timestampPart('month', (date) => date.getUTCMonth())),
  declare('getDayOfYear', ...timestampPart('day_of_year', dayOfYear)),
  declare('getDayOfMonth', ...timestampPart('day_of_month', (date) => date.getUTCDate() - 1)),
  declare('getDate', ...timestampPart('day_of_month_1_based', (date) => date.getUTCDate())),
  declare('getDayOfWeek', ...timestampPart('day_of_week', (date) => date.getUTCDay())),
  declare('getHours', ...timestampPart('hours', (date) => date.getUTCHours()), durationPart('hours', 3600n * second)),
  declare(
    'getMinutes',
    ...timestampPart('minutes', (date) => date.getUTCMinutes()),
    durationPart('minutes', 60n * second),
  ),
  declare('getSeconds', ...timestampPart('seconds', (date) => date.getUTCSeconds()), durationPart('seconds', second)),
  declare(
    'getMilliseconds',
    ...timestampPart('milliseconds', (date) => date.getUTCMilliseconds()),
    durationPart('milliseconds', 1_000_000n, 1000n),
  ),
];
