import { formatGoNumber } from '@tektite/meta';

/** A value as Go's `%v` prints it: `map[a:1 b:[x y]]`. Strings are bare, maps sorted by their keys, nil is `<nil>`. */
export function formatGoValue(value: unknown): string {
  if (value === undefined || value === null) return '<nil>';
  if (typeof value === 'number') return formatGoNumber(value);
  if (Array.isArray(value)) return `[${value.map(formatGoValue).join(' ')}]`;
  if (typeof value !== 'object' || !isPlain(value)) return String(value as string | boolean | bigint);
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return `map[${entries.map(([key, item]) => `${key}:${formatGoValue(item)}`).join(' ')}]`;
}

/** A value with a text form (an error, a quantity, a path) is printed as that. */
function isPlain(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === null || prototype === Object.prototype;
}
