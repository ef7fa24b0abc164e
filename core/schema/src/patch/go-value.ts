/** JSON as Go's `%v` prints it: `map[a:1 b:[x y]]`. Some upstream messages contain such values. */
export function formatGoValue(value: unknown): string {
  if (value === null || value === undefined) return '<nil>';
  if (Array.isArray(value)) return `[${value.map(formatGoValue).join(' ')}]`;
  if (typeof value === 'object') {
    const fields = value as Record<string, unknown>;
    return `map[${Object.keys(fields)
      .sort()
      .map((key) => `${key}:${formatGoValue(fields[key])}`)
      .join(' ')}]`;
  }
  return String(value as string | number | boolean);
}
