/**
 * JSON texts with whole numbers of 64 bits. A whole number is a `number` when JavaScript prints it as it came; another one that Go
 * has an int64 for is a `bigint`. Nearly every text has only the first, and pays one search for the second.
 */

const int64Limit = 2n ** 63n;

/** The shortest whole number that is not exact has sixteen digits. */
const longDigits = /[0-9]{16}/;

const stringOrNumber = /"(?:[^"\\]|\\.)*"|-?[0-9][0-9.eE+-]*/g;
const longInteger = /^-?[0-9]{16,}$/;

/** Strings that begin with this are marked: a long integer, or a string that began so already. No key is. */
const mark = '\\u0000';

/** The value of the text of a whole number. Beyond 64 bits Go has no integer either, and takes the nearest floating point number. */
export function parseInteger(digits: string): number | bigint {
  return digits.length < 16 || digits.length > 20 ? Number(digits) : normalizeInteger(BigInt(digits));
}

/** A whole number in the form in which objects hold it. */
export function normalizeInteger(value: bigint): number | bigint {
  const near = Number(value);
  if (value >= int64Limit || value < -int64Limit) return near;
  return String(near) === String(value) ? near : value;
}

/** Like JSON.parse, and keeps whole numbers of 64 bits. */
export function parseJson(text: string): unknown {
  const value: unknown = JSON.parse(text);
  if (!longDigits.test(text)) return value;
  let found = false;
  const marked = text.replace(stringOrNumber, (token, offset: number) => {
    if (token.startsWith(`"${mark}`)) {
      return isKey(text, offset + token.length) ? token : `"${mark}s${token.slice(1)}`;
    }
    if (!longInteger.test(token)) return token;
    found = true;
    return `"${mark}i${token}"`;
  });
  return found ? JSON.parse(marked, unmark) : value;
}

function isKey(text: string, after: number): boolean {
  let at = after;
  while (' \t\r\n'.includes(text[at] ?? 'x')) at++;
  return text[at] === ':';
}

function unmark(_key: string, value: unknown): unknown {
  if (typeof value !== 'string' || !value.startsWith('\0')) return value;
  return value[1] === 'i' ? parseInteger(value.slice(2)) : value.slice(2);
}

/** Like JSON.stringify, and prints whole numbers of 64 bits; `undefined` has the text `null`. */
export function stringifyJson(value: unknown, indent = 0): string {
  try {
    return JSON.stringify(value, undefined, indent) ?? 'null';
  } catch (error) {
    if (!(error instanceof TypeError) || !hasLongInteger(value)) throw error;
    return print(value, ' '.repeat(indent), '');
  }
}

function hasLongInteger(value: unknown, depth = 0): boolean {
  if (typeof value === 'bigint') return true;
  // A value that contains itself is left to the error that it caused.
  if (typeof value !== 'object' || value === null || depth > 2000) return false;
  return Object.values(value).some((item) => hasLongInteger(item, depth + 1));
}

function print(value: unknown, step: string, margin: string): string {
  if (typeof value === 'bigint') return String(value);
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null';
  const { toJSON } = value as { readonly toJSON?: () => unknown };
  if (typeof toJSON === 'function') return print(toJSON.call(value), step, margin);
  const inner = margin + step;
  const isList = Array.isArray(value);
  const items = isList
    ? value.map((item) => print(item, step, inner))
    : Object.entries(value)
        .filter(([, item]) => item !== undefined && typeof item !== 'function')
        .map(([key, item]) => `${JSON.stringify(key)}:${step === '' ? '' : ' '}${print(item, step, inner)}`);
  const [open, close] = isList ? ['[', ']'] : ['{', '}'];
  if (items.length === 0) return open + close;
  return step === ''
    ? `${open}${items.join(',')}${close}`
    : `${open}\n${inner}${items.join(`,\n${inner}`)}\n${margin}${close}`;
}
