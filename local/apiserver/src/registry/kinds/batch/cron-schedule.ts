import { isDurationError, parseGoDuration } from '@tektite/go';
import { quoteGo } from '@tektite/meta';

/** A schedule that cannot be read. The words are those of the parser that Kubernetes uses. */
class ScheduleError extends Error {}

interface Bounds {
  readonly min: number;
  readonly max: number;
  readonly names?: readonly string[];
}

const months = 'jan feb mar apr may jun jul aug sep oct nov dec'.split(' ');
const days = 'sun mon tue wed thu fri sat'.split(' ');
const fields: readonly Bounds[] = [
  { min: 0, max: 59 },
  { min: 0, max: 23 },
  { min: 1, max: 31 },
  { min: 1, max: 12, names: ['', ...months] },
  { min: 0, max: 6, names: days },
];
const descriptors = ['yearly', 'annually', 'monthly', 'weekly', 'daily', 'midnight', 'hourly'];

/** The error of a CronJob's schedule, if any. */
export function scheduleProblem(schedule: string): string | undefined {
  try {
    checkSchedule(schedule);
    return undefined;
  } catch (error) {
    if (error instanceof ScheduleError) return error.message;
    throw error;
  }
}

function checkSchedule(schedule: string): void {
  let rest = schedule;
  if (rest.startsWith('TZ=') || rest.startsWith('CRON_TZ=')) {
    const space = rest.indexOf(' ');
    if (space < 0) throw new ScheduleError('invalid schedule format: runtime error: slice bounds out of range [:-1]');
    const zone = rest.slice(rest.indexOf('=') + 1, space);
    const problem = timeZoneProblem(zone);
    if (problem !== undefined) throw new ScheduleError(`provided bad location ${zone}: ${problem}`);
    rest = rest.slice(space).trim();
  }
  if (rest.startsWith('@')) {
    checkDescriptor(rest);
    return;
  }
  const parts = rest.split(/\s+/).filter((part) => part !== '');
  if (parts.length !== fields.length)
    throw new ScheduleError(`expected exactly 5 fields, found ${parts.length}: [${parts.join(' ')}]`);
  for (const [i, part] of parts.entries())
    for (const range of part.split(',')) if (range !== '') checkRange(range, fields[i] as Bounds);
}

function checkDescriptor(descriptor: string): void {
  if (descriptors.includes(descriptor.slice(1))) return;
  if (!descriptor.startsWith('@every ')) throw new ScheduleError(`unrecognized descriptor: ${descriptor}`);
  try {
    parseGoDuration(descriptor.slice('@every '.length));
  } catch (error) {
    if (isDurationError(error)) throw new ScheduleError(`failed to parse duration ${descriptor}: ${error.message}`);
    throw error;
  }
}

function checkRange(text: string, { min, max, names }: Bounds): void {
  const [range = '', stepText, ...more] = text.split('/');
  const [low = '', high, ...others] = range.split('-');
  let start = min;
  let end = max;
  if (low !== '*' && low !== '?') {
    start = parseNumber(low, names);
    end = high === undefined ? start : parseNumber(high, names);
    if (others.length > 0) throw new ScheduleError(`too many hyphens: ${text}`);
  }
  let step = 1;
  if (stepText !== undefined) {
    if (more.length > 0) throw new ScheduleError(`too many slashes: ${text}`);
    step = parseNumber(stepText);
    if (high === undefined) end = max;
  }
  if (start < min) throw new ScheduleError(`beginning of range (${start}) below minimum (${min}): ${text}`);
  if (end > max) throw new ScheduleError(`end of range (${end}) above maximum (${max}): ${text}`);
  if (start > end) throw new ScheduleError(`beginning of range (${start}) beyond end of range (${end}): ${text}`);
  if (step === 0) throw new ScheduleError(`step of range should be a positive number: ${text}`);
}

function parseNumber(text: string, names?: readonly string[]): number {
  const named = text === '' ? -1 : (names?.indexOf(text.toLowerCase()) ?? -1);
  if (named >= 0) return named;
  if (!/^[-+]?[0-9]+$/.test(text))
    throw new ScheduleError(`failed to parse int from ${text}: strconv.Atoi: parsing ${quoteGo(text)}: invalid syntax`);
  const value = Number(text);
  if (!Number.isSafeInteger(value))
    throw new ScheduleError(
      `failed to parse int from ${text}: strconv.Atoi: parsing ${quoteGo(text)}: value out of range`,
    );
  if (value < 0) throw new ScheduleError(`negative number (${value}) not allowed: ${text}`);
  return value;
}

/** The error of a time zone's name, if any. */
export function timeZoneProblem(zone: string): string | undefined {
  if (zone === '' || zone === 'UTC' || zone === 'Local') return undefined;
  const unknown = `unknown time zone ${zone}`;
  try {
    const resolved = new Intl.DateTimeFormat('en', { timeZone: zone }).resolvedOptions().timeZone;
    // JavaScript does not mind the case of letters, file systems do.
    const otherCase = resolved !== zone && resolved.toLowerCase() === zone.toLowerCase();
    return otherCase || /^[+-]/.test(zone) ? unknown : undefined;
  } catch {
    return unknown;
  }
}
