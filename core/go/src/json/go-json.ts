import { escapeHtml, stringifyJson } from '@tektite/meta';

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
    case 'bigint':
      return String(value);
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
    .sort(compareGoStrings)
    .map((key) => `${goString(key)}:${goJson(fields[key])}`);
  return `{${entries.join(',')}}`;
}

/**
 * JSON as Go prints a struct: fields in the order of the object. JavaScript puts keys that are numbers first, in any object; no
 * field of a struct is one, so an object that has such keys is a map, and sorted.
 */
export function goStructJson(value: unknown): string {
  return escapeHtml(printInOrder(value));
}

function printInOrder(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(printInOrder).join(',')}]`;
  if (typeof value !== 'object' || value === null) return stringifyJson(value);
  const entries = Object.entries(value).filter(([, item]) => item !== undefined);
  const isMap = entries.some(([key]) => /^\d+$/.test(key));
  const inOrder = isMap ? entries.toSorted(([a], [b]) => (a < b ? -1 : 1)) : entries;
  return `{${inOrder.map(([key, item]) => `${JSON.stringify(key)}:${printInOrder(item)}`).join(',')}}`;
}

function goString(text: string): string {
  // Lone surrogates are no Unicode; Go writes the replacement character for what is not.
  return escapeHtml(JSON.stringify(text.toWellFormed()));
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
  return String(value);
}

/** Go compares bytes of UTF-8, which is the order of code points; JavaScript compares halves of surrogate pairs. */
export function compareGoStrings(a: string, b: string): number {
  if (a === b) return 0;
  const shared = Math.min(a.length, b.length);
  for (let at = 0; at < shared; at++) {
    if (a.charCodeAt(at) === b.charCodeAt(at)) continue;
    return (a.codePointAt(at) as number) - (b.codePointAt(at) as number);
  }
  return a.length - b.length;
}
