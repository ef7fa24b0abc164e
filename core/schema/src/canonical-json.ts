import { stringifyJson } from '@tektite/meta';

type JsonMap = Readonly<Record<string, unknown>>;

/** JSON with sorted keys: equal values have equal texts. */
export function canonicalJson(value: unknown): string {
  if (typeof value !== 'object' || value === null) return stringifyJson(value);
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`;
  const fields = value as JsonMap;
  const entries = Object.keys(fields)
    .sort()
    .filter((key) => fields[key] !== undefined)
    .map((key) => `${JSON.stringify(key)}:${canonicalJson(fields[key])}`);
  return `{${entries.join(',')}}`;
}
