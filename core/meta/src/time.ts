import { defineErrors } from './define-errors.ts';

/** A moment: whole seconds since the epoch, and nanoseconds within the second. */
export interface Instant {
  readonly seconds: number;
  readonly nanoseconds: number;
}

export const timeErrors = defineErrors('meta', 'TimeError', {
  INVALID_TIME: {
    when: 'a text is no time as Go reads it',
    fix: 'write it as RFC 3339 says: 2026-01-02T15:04:05Z',
  },
});

/** A text that Go cannot read as a time. The message is its own. */
export class TimeError extends timeErrors.Error {
  constructor(message: string) {
    super('INVALID_TIME', message);
  }
}

/** Whether `error` is a TimeError. */
export function isTimeError(error: unknown): error is TimeError {
  return timeErrors.is(error);
}

const rfc3339 = '2006-01-02T15:04:05Z07:00';
const rfc3339Micro = '2006-01-02T15:04:05.000000Z07:00';

/** Bytes that are not printable ASCII stand as `\x..` in Go's message. */
function quote(text: string): string {
  let result = '"';
  for (const byte of new TextEncoder().encode(text)) {
    if (byte < 0x20 || byte >= 0x80) result += `\\x${byte.toString(16).padStart(2, '0')}`;
    else result += byte === 0x22 || byte === 0x5c ? `\\${String.fromCharCode(byte)}` : String.fromCharCode(byte);
  }
  return `${result}"`;
}

/** Reads one element after the other of Go's layout, and fails with Go's words. */
class TimeReader {
  private readonly text: string;
  private readonly layout: string;
  private rest: string;

  constructor(text: string, layout: string) {
    this.text = text;
    this.layout = layout;
    this.rest = text;
  }

  private unparsable(element: string, found: string): TimeError {
    return new TimeError(
      `parsing time ${quote(this.text)} as ${quote(this.layout)}: cannot parse ${quote(found)} as ${quote(element)}`,
    );
  }

  private outOfRange(what: string): TimeError {
    return new TimeError(`parsing time ${quote(this.text)}: ${what} out of range`);
  }

  literal(char: string): void {
    if (!this.rest.startsWith(char)) throw this.unparsable(char, this.rest);
    this.rest = this.rest.slice(1);
  }

  year(): number {
    const match = /^[0-9]{4}/.exec(this.rest);
    if (!match) throw this.unparsable('2006', this.rest);
    this.rest = this.rest.slice(4);
    return Number(match[0]);
  }

  /** Two digits; the hour alone may have one. */
  number(element: string, range?: { name: string; from: number; to: number }): number {
    const match = (element === '15' ? /^[0-9]{1,2}/ : /^[0-9]{2}/).exec(this.rest);
    if (!match) throw this.unparsable(element, this.rest);
    this.rest = this.rest.slice(match[0].length);
    const value = Number(match[0]);
    if (range && (value < range.from || value > range.to)) throw this.outOfRange(range.name);
    return value;
  }

  /** A fraction of a second of any length, if there is one, although the layout does not ask for it. */
  optionalFraction(): number {
    const match = /^[.,]([0-9]+)/.exec(this.rest);
    if (!match) return 0;
    this.rest = this.rest.slice(match[0].length);
    return nanosecondsOf(match[1] as string);
  }

  microseconds(): number {
    const match = /^[.,]([0-9]{6})/.exec(this.rest);
    if (!match) throw this.unparsable('.000000', this.rest);
    this.rest = this.rest.slice(match[0].length);
    return nanosecondsOf(match[1] as string);
  }

  /** Seconds east of UTC. */
  offset(): number {
    if (this.rest.startsWith('Z')) {
      this.rest = this.rest.slice(1);
      return 0;
    }
    const match = /^([+-])([0-9]{2}):([0-9]{2})/.exec(this.rest);
    if (!match) throw this.unparsable('Z07:00', this.rest);
    this.rest = this.rest.slice(match[0].length);
    const [hours, minutes] = [Number(match[2]), Number(match[3])];
    if (hours > 24) throw this.outOfRange('time zone offset hour');
    if (minutes > 60) throw this.outOfRange('time zone offset minute');
    return (match[1] === '-' ? -1 : 1) * (hours * 3600 + minutes * 60);
  }

  end(year: number, month: number, day: number): void {
    if (this.rest !== '') throw new TimeError(`parsing time ${quote(this.text)}: extra text: ${quote(this.rest)}`);
    if (day < 1 || day > daysIn(year, month)) throw this.outOfRange('day');
  }
}

const nanosecondsOf = (digits: string): number => Number(digits.slice(0, 9).padEnd(9, '0'));

function daysIn(year: number, month: number): number {
  if (month === 2) return year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0) ? 29 : 28;
  return month === 4 || month === 6 || month === 9 || month === 11 ? 30 : 31;
}

function parse(text: string, micro: boolean): Instant {
  const reader = new TimeReader(text, micro ? rfc3339Micro : rfc3339);
  const year = reader.year();
  reader.literal('-');
  const month = reader.number('01', { name: 'month', from: 1, to: 12 });
  reader.literal('-');
  const day = reader.number('02');
  reader.literal('T');
  const hour = reader.number('15', { name: 'hour', from: 0, to: 23 });
  reader.literal(':');
  const minute = reader.number('04', { name: 'minute', from: 0, to: 59 });
  reader.literal(':');
  const second = reader.number('05', { name: 'second', from: 0, to: 59 });
  const nanoseconds = micro ? reader.microseconds() : reader.optionalFraction();
  const offset = reader.offset();
  reader.end(year, month, day);
  return { seconds: utcSeconds(year, month, day) + hour * 3600 + minute * 60 + second - offset, nanoseconds };
}

/** `Date.UTC` takes the years 0 to 99 for 1900 to 1999. */
function utcSeconds(year: number, month: number, day: number): number {
  return Date.UTC(year + 400, month - 1, day) / 1000 - 400 * 365.2425 * 86_400;
}

/**
 * Reads a time as `metav1.Time` does: RFC 3339, any offset, any fraction. Throws a {@link TimeError}.
 *
 * @example
 * parseTime('2024-05-01T12:00:00+02:00') // { seconds: 1714557600, nanoseconds: 0 }
 */
export function parseTime(text: string): Instant {
  return parse(text, false);
}

/** Reads a time as `metav1.MicroTime` does: exactly six digits after the point. Throws a {@link TimeError}. */
export function parseMicroTime(text: string): Instant {
  return parse(text, true);
}

const instantOf = (time: Instant | number): Instant =>
  typeof time === 'number'
    ? { seconds: Math.floor(time / 1000), nanoseconds: Math.round((time - Math.floor(time / 1000) * 1000) * 1e6) }
    : time;

/** `YYYY-MM-DDTHH:MM:SS` in UTC. Go prints years beyond 9999 with all their digits, and a minus for those before 0. */
function dateTime({ seconds }: Instant): string {
  const text = new Date(seconds * 1000).toISOString();
  const signed = /^([+-])0*([0-9]{4,})(-.*)$/.exec(text);
  const plain = signed ? `${signed[1] === '-' ? '-' : ''}${signed[2]}${signed[3]}` : text;
  return plain.slice(0, -'.000Z'.length);
}

let lastSecond = Number.NaN;
let lastText = '';

/** Nearly all times that are printed are of the current second. */
function formatSecond(second: number): string {
  if (second !== lastSecond) {
    lastText = `${dateTime({ seconds: second, nanoseconds: 0 })}Z`;
    lastSecond = second;
  }
  return lastText;
}

/** Prints as `metav1.Time`: UTC, whole seconds (the fraction is cut off). Takes an Instant or milliseconds. */
export function formatTime(time: Instant | number): string {
  if (typeof time === 'number') return formatSecond(Math.floor(time / 1000));
  return `${dateTime(instantOf(time))}Z`;
}

/** Prints as `metav1.MicroTime`: UTC, six digits. Takes an Instant or milliseconds. */
export function formatMicroTime(time: Instant | number): string {
  const instant = instantOf(time);
  const micro = Math.floor(instant.nanoseconds / 1000);
  return `${dateTime(instant)}.${String(micro).padStart(6, '0')}Z`;
}

const canonicalTime = /^[0-9]{4}-(0[1-9]|1[0-2])-(0[1-9]|1[0-9]|2[0-8])T([01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9]Z$/;

/** Go's zero time, which `metav1.Time` prints as `null`. */
const zeroTime = '0001-01-01T00:00:00Z';

/** A time as the server stores it: in UTC, without a fraction; `null` for Go's zero time. Throws a {@link TimeError}. */
export function normalizeTime(text: string): string | null {
  const normal = canonicalTime.test(text) ? text : formatTime(parseTime(text));
  return normal === zeroTime ? null : normal;
}

/** The same for a MicroTime. */
export function normalizeMicroTime(text: string): string | null {
  const instant = parseMicroTime(text);
  return instant.nanoseconds === 0 && formatTime(instant) === zeroTime ? null : formatMicroTime(instant);
}

export function instantToMilliseconds({ seconds, nanoseconds }: Instant): number {
  return seconds * 1000 + nanoseconds / 1e6;
}
