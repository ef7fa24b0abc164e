import { defineErrors } from '@tektite/meta';

/** A span of time in nanoseconds, as Go's `time.Duration` (`1h30m`, `250ms`). */
export type GoDuration = bigint;

export const durationErrors = defineErrors('go', 'DurationError', {
  INVALID_DURATION: {
    when: 'a text is no duration of Go',
    fix: 'write a number and a unit, such as 1h30m or 250ms',
  },
});

/** A text that Go cannot read as a duration. The message is its own. */
export class DurationError extends durationErrors.Error {
  constructor(message: string, options?: ErrorOptions) {
    super('INVALID_DURATION', message, options);
  }
}

/** Whether `error` is a DurationError. */
export function isDurationError(error: unknown): error is DurationError {
  return durationErrors.is(error);
}

const nanoseconds = new Map<string, bigint>([
  ['ns', 1n],
  ['us', 1_000n],
  ['µs', 1_000n],
  ['μs', 1_000n],
  ['ms', 1_000_000n],
  ['s', 1_000_000_000n],
  ['m', 60_000_000_000n],
  ['h', 3_600_000_000_000n],
]);

const limit = 2n ** 63n;
const maxTextLength = 512;

/**
 * Reads what Go prints, and more: any sequence of numbers with units. Throws a {@link DurationError}.
 *
 * @example
 * parseGoDuration('1h15m30.918s') // 4530918000000n
 */
export function parseGoDuration(text: string): GoDuration {
  const bad = () => new DurationError(`time: invalid duration ${quote(text)}`);
  if (text.length > maxTextLength) throw bad();
  const negative = text.startsWith('-');
  let rest = negative || text.startsWith('+') ? text.slice(1) : text;
  if (rest === '0') return 0n;
  if (rest === '') throw bad();
  let total = 0n;
  while (rest !== '') {
    const number = /^([0-9]*)(?:\.([0-9]*))?/.exec(rest);
    const whole = number?.[1] ?? '';
    const fraction = number?.[2] ?? '';
    if (whole === '' && fraction === '') throw bad();
    if (BigInt(whole || '0') > limit) throw bad();
    rest = rest.slice((number as RegExpExecArray)[0].length);
    const unitText = /^[^.0-9]*/.exec(rest)?.[0] ?? '';
    if (unitText === '') throw new DurationError(`time: missing unit in duration ${quote(text)}`);
    const unit = nanoseconds.get(unitText);
    if (unit === undefined) throw new DurationError(`time: unknown unit ${quote(unitText)} in duration ${quote(text)}`);
    rest = rest.slice(unitText.length);
    total += BigInt(whole || '0') * unit + (BigInt(fraction || '0') * unit) / 10n ** BigInt(fraction.length);
    if (total > limit) throw bad();
  }
  if (negative) return -total;
  if (total === limit) throw bad();
  return total;
}

/** Go's package for time has its own way of quoting: what is not plain ASCII is shown byte by byte. */
function quote(text: string): string {
  let quoted = '';
  for (const byte of new TextEncoder().encode(text)) {
    const character = String.fromCharCode(byte);
    if (byte < 0x20 || byte >= 0x80) quoted += `\\x${byte.toString(16).padStart(2, '0')}`;
    else quoted += character === '"' || character === '\\' ? `\\${character}` : character;
  }
  return `"${quoted}"`;
}

/**
 * Prints as Go does: hours, minutes and seconds from one second up (`1h0m0s`), a single smaller unit below (`1.5ms`).
 */
export function formatGoDuration(duration: GoDuration): string {
  if (duration === 0n) return '0s';
  const sign = duration < 0n ? '-' : '';
  const value = duration < 0n ? -duration : duration;
  if (value < 1_000n) return `${sign}${value}ns`;
  if (value < 1_000_000n) return `${sign}${decimal(value, 3)}µs`;
  if (value < 1_000_000_000n) return `${sign}${decimal(value, 6)}ms`;
  const minutes = value / 60_000_000_000n;
  const seconds = `${decimal(value % 60_000_000_000n, 9)}s`;
  if (minutes === 0n) return `${sign}${seconds}`;
  if (minutes < 60n) return `${sign}${minutes}m${seconds}`;
  return `${sign}${minutes / 60n}h${minutes % 60n}m${seconds}`;
}

/** `value / 10^places` without trailing zeros. */
function decimal(value: bigint, places: number): string {
  const digits = value.toString().padStart(places + 1, '0');
  const fraction = digits.slice(-places).replace(/0+$/, '');
  return fraction === '' ? digits.slice(0, -places) : `${digits.slice(0, -places)}.${fraction}`;
}

export function goDurationToMilliseconds(duration: GoDuration): number {
  return Number(duration) / 1e6;
}

export function goDurationFromMilliseconds(milliseconds: number): GoDuration {
  return BigInt(Math.round(milliseconds * 1e6));
}
