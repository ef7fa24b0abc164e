import { createHash } from 'node:crypto';
import { childOf, fieldPath } from '../field-value.ts';

/**
 * JSON byte for byte as Go's encoding/json prints a map: keys sorted by bytes, no spaces, `<`, `>`, `&`, U+2028 and U+2029 escaped,
 * numbers in Go's form. Fields that are undefined are left out.
 */
export function goJson(value: unknown): string {
  switch (typeof value) {
    case 'string':
      return goString(value);
    case 'number':
      return goNumber(value);
    case 'object':
      break;
    default:
      return JSON.stringify(value) ?? 'null';
  }
  if (value === null) return 'null';
  if (Array.isArray(value)) return `[${value.map(goJson).join(',')}]`;
  const fields = value as Record<string, unknown>;
  const entries = Object.keys(fields)
    .filter((key) => fields[key] !== undefined)
    .sort(byBytes)
    .map((key) => `${goString(key)}:${goJson(fields[key])}`);
  return `{${entries.join(',')}}`;
}

export function sha256Hex(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

/** The hash of an object, or of the fields at these paths; a path that leads nowhere counts as an empty mapping. */
export function canonicalHash(value: unknown, options: { readonly paths?: readonly string[] } = {}): string {
  if (!options.paths) return sha256Hex(goJson(value));
  const picked: Record<string, unknown> = Object.create(null) as Record<string, unknown>;
  for (const path of options.paths)
    picked[path] = fieldPath(path).reduce<unknown>((parent, step) => childOf(parent, step), value) ?? {};
  return sha256Hex(goJson(picked));
}

const escaped = /[<>&\u2028\u2029\u0000-\u001f\u007f]/;

function goString(text: string): string {
  // Lone surrogates are no Unicode; Go writes the replacement character for what is not.
  const plain = JSON.stringify(text.toWellFormed());
  if (!escaped.test(plain)) return plain;
  return plain.replace(/[<>&\u2028\u2029]/g, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

function goNumber(value: number): string {
  if (!Number.isFinite(value)) throw new Error(`${value} has no form in JSON`);
  if (Object.is(value, -0)) return '-0';
  const size = Math.abs(value);
  if (size !== 0 && (size < 1e-6 || size >= 1e21)) {
    const [mantissa, exponent] = value.toExponential().split('e') as [string, string];
    const power = Number(exponent);
    // Go pads exponents to two digits, and then cleans e-09 up to e-9; positive ones have no leading zeros to begin with.
    return `${mantissa}e${power < 0 ? '-' : '+'}${Math.abs(power)}`;
  }
  return Number.isInteger(value) ? BigInt(value).toString() : String(value);
}

/** UTF-8 order is code point order, which UTF-16 order is not for characters outside of the first plane. */
function byBytes(a: string, b: string): number {
  return a === b ? 0 : Buffer.compare(Buffer.from(a), Buffer.from(b));
}
