import { parseTime, utf8Length } from '@tektite/meta';
import { isEmailAddress } from './email-address.ts';
import { parseRequestUri } from './go-url.ts';
import { parseCidr, parseGoDuration, parseIp } from '@tektite/go';

/** Formats of strings that are checked, by their name without dashes. Any other name is ignored. */
const formats = new Map<string, (text: string) => boolean>([
  ['bsonobjectid', (text) => /^[0-9a-fA-F]{24}$/.test(text)],
  ['byte', isBase64],
  ['cidr', (text) => parseCidr(text, { leadingZeros: true }) !== undefined],
  ['creditcard', isCreditCard],
  ['date', isDate],
  ['datetime', isDateTime],
  ['duration', (text) => parseFormatDuration(text) !== undefined],
  ['email', isEmailAddress],
  ['hexcolor', (text) => /^#?([0-9a-fA-F]{3}|[0-9a-fA-F]{6})$/.test(text)],
  ['hostname', isHostname],
  ['ipv4', (text) => text.includes('.') && parseIp(text, { leadingZeros: true }) !== undefined],
  ['ipv6', (text) => text.includes(':') && parseIp(text) !== undefined],
  ['isbn', (text) => isIsbn10(text) || isIsbn13(text)],
  ['isbn10', isIsbn10],
  ['isbn13', isIsbn13],
  [
    'k8slongname',
    (text) => text.length <= 253 && /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/.test(text),
  ],
  ['k8sshortname', (text) => text.length <= 63 && /^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/.test(text)],
  ['mac', isMac],
  ['password', () => true],
  ['rgbcolor', isRgbColor],
  ['ssn', (text) => text.length === 11 && /^[0-9]{3}[- ]?[0-9]{2}[- ]?[0-9]{4}$/.test(text)],
  ['uri', (text) => typeof parseRequestUri(text) !== 'string'],
  ['uuid', (text) => /^[0-9a-f]{8}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{12}$/i.test(text)],
  ['uuid3', (text) => /^[0-9a-f]{8}-?[0-9a-f]{4}-?3[0-9a-f]{3}-?[0-9a-f]{4}-?[0-9a-f]{12}$/i.test(text)],
  ['uuid4', (text) => /^[0-9a-f]{8}-?[0-9a-f]{4}-?4[0-9a-f]{3}-?[89ab][0-9a-f]{3}-?[0-9a-f]{12}$/i.test(text)],
  ['uuid5', (text) => /^[0-9a-f]{8}-?[0-9a-f]{4}-?5[0-9a-f]{3}-?[89ab][0-9a-f]{3}-?[0-9a-f]{12}$/i.test(text)],
]);

/**
 * Returns the check for a string format, or `undefined` for an unknown name. `date-time` and `datetime` are the same.
 */
export function stringFormat(name: string): ((text: string) => boolean) | undefined {
  return formats.get(name.replaceAll('-', ''));
}

/**
 * Whether the format means something for that type. A format that does not is ignored when values are checked, and
 * named in a warning when a definition is written.
 */
export function isKnownFormat(type: string | undefined, format: string): boolean {
  switch (type) {
    case undefined:
    case '':
    case 'string':
      return stringFormat(format) !== undefined;
    case 'integer':
      return format === 'int32' || format === 'int64';
    case 'number':
      return format === 'float' || format === 'double';
    default:
      return false;
  }
}

function isBase64(text: string): boolean {
  return text !== '' && text.length % 4 === 0 && /^[A-Za-z0-9+/]*={0,2}$/.test(text);
}

function isDate(text: string): boolean {
  if (!/^[0-9]{4}-[0-9]{2}-[0-9]{2}$/.test(text)) return false;
  try {
    parseTime(`${text}T00:00:00Z`);
    return true;
  } catch {
    return false;
  }
}

/** Laxer than RFC 3339: nothing limits the offset, and any character may stand before the fraction. */
function isDateTime(text: string): boolean {
  const [date, time] = text.toLowerCase().split('t');
  if (date === undefined || time === undefined || !isDate(date)) return false;
  const match = /^([0-9]{2}):([0-9]{2}):([0-9]{2})(?:.[0-9]+)?(?:z|[+-][0-9]{2}:[0-9]{2})$/.exec(time);
  return match !== null && Number(match[1]) <= 23 && Number(match[2]) <= 59 && Number(match[3]) <= 59;
}

const second = 1_000_000_000n;

/** Units by their exact names, and by the prefixes that also stand for them (`2 days`). */
const units: readonly { names: readonly string[]; prefix: string; nanoseconds: bigint }[] = [
  { names: ['ns'], prefix: 'nano', nanoseconds: 1n },
  { names: ['us', 'µs'], prefix: 'micro', nanoseconds: 1_000n },
  { names: ['ms'], prefix: 'milli', nanoseconds: 1_000_000n },
  { names: ['s'], prefix: 'sec', nanoseconds: second },
  { names: ['m'], prefix: 'min', nanoseconds: 60n * second },
  { names: ['h', 'hr'], prefix: 'hour', nanoseconds: 3600n * second },
  { names: ['d'], prefix: 'day', nanoseconds: 86_400n * second },
  { names: ['w', 'wk'], prefix: 'week', nanoseconds: 604_800n * second },
];

/** The nanoseconds of a duration of Go, or of any text in which numbers stand before units; `undefined` for all else. */
export function parseFormatDuration(text: string): bigint | undefined {
  try {
    return parseGoDuration(text);
  } catch {
    return sumOfUnits(text);
  }
}

function sumOfUnits(text: string): bigint | undefined {
  let total: bigint | undefined;
  for (let at = 0; at < text.length; ) {
    const digits = run(text, at, isDigit);
    if (digits === at) {
      at++;
      continue;
    }
    const blanks = run(text, digits, (char) => /\s/.test(char));
    const end = run(text, blanks, (char) => /[A-Za-zµ]/.test(char));
    if (end > blanks) {
      if (digits - at > 18) return undefined;
      const name = text.slice(blanks, end).toLowerCase();
      const unit = units.find(({ names, prefix }) => names.includes(name) || name.startsWith(prefix));
      if (unit) total = (total ?? 0n) + BigInt(text.slice(at, digits)) * unit.nanoseconds;
    }
    at = Math.max(end, digits);
  }
  return total;
}

const isDigit = (char: string): boolean => char >= '0' && char <= '9';

function run(text: string, from: number, accepts: (char: string) => boolean): number {
  let at = from;
  while (at < text.length && accepts(text[at] as string)) at++;
  return at;
}

const hostname =
  /^([a-zA-Z0-9\p{S}\p{L}]((-?[a-zA-Z0-9\p{S}\p{L}]{0,62})?)|([a-zA-Z0-9\p{S}\p{L}](([a-zA-Z0-9\-\p{S}\p{L}]{0,61}[a-zA-Z0-9\p{S}\p{L}])?)(\.))+([a-zA-Z\p{L}]){2,63})$/u;

function isHostname(text: string): boolean {
  if (utf8Length(text) > 255 || !hostname.test(text)) return false;
  return text.split('.').every((label) => utf8Length(label) <= 63);
}

function isMac(text: string): boolean {
  const octets = /^[0-9a-fA-F]{2}(?:([:-])[0-9a-fA-F]{2}(?:\1[0-9a-fA-F]{2})*)$/;
  if (octets.test(text)) return [17, 23, 59].includes(text.length);
  return /^[0-9a-fA-F]{4}(\.[0-9a-fA-F]{4})+$/.test(text) && [14, 19, 49].includes(text.length);
}

const rgbPart = '\\s*(0|[1-9]\\d?|1\\d\\d?|2[0-4]\\d|25[0-5])\\s*';
const rgb = new RegExp(`^rgb\\(${rgbPart},${rgbPart},${rgbPart}\\)$`);

function isRgbColor(text: string): boolean {
  return text.length < 256 && rgb.test(text);
}

function isIsbn10(text: string): boolean {
  const digits = text.replaceAll(/[\s-]+/g, '');
  if (!/^(?:[0-9]{9}X|[0-9]{10})$/.test(digits)) return false;
  let sum = 0;
  for (let i = 0; i < 10; i++) sum += (i + 1) * (digits[i] === 'X' ? 10 : Number(digits[i]));
  return sum % 11 === 0;
}

function isIsbn13(text: string): boolean {
  const digits = text.replaceAll(/[\s-]+/g, '');
  if (!/^[0-9]{13}$/.test(digits)) return false;
  let sum = 0;
  for (let i = 0; i < 12; i++) sum += (i % 2 === 0 ? 1 : 3) * Number(digits[i]);
  return Number(digits[12]) === (10 - (sum % 10)) % 10;
}

const creditCard =
  /^(?:4[0-9]{12}(?:[0-9]{3})?|5[1-5][0-9]{14}|6(?:011|5[0-9][0-9])[0-9]{12}|3[47][0-9]{13}|3(?:0[0-5]|[68][0-9])[0-9]{11}|(?:2131|1800|35[0-9]{3})[0-9]{11})$/;

/** The right length and start, and a good check digit. */
function isCreditCard(text: string): boolean {
  const digits = text.replaceAll(/[^0-9]+/g, '');
  if (!creditCard.test(digits)) return false;
  let sum = 0;
  for (let i = 0; i < digits.length; i++) {
    const digit = Number(digits[digits.length - 1 - i]);
    sum += i % 2 === 0 ? digit : digit * 2 > 9 ? digit * 2 - 9 : digit * 2;
  }
  return sum % 10 === 0;
}
