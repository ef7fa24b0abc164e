import type { Replacements } from './replacements.ts';
import { replaceText } from './replace-text.ts';

/** Any JSON with the variables in all its texts replaced. For Pod templates, where every text may have some. */
export function replaceEverywhere<T>(value: T, replacements: Pick<Replacements, 'strings'>): T {
  return walk(value, replacements) as T;
}

function walk(value: unknown, replacements: Pick<Replacements, 'strings'>): unknown {
  if (typeof value === 'string') return replaceText(value, replacements);
  if (Array.isArray(value)) return value.map((item) => walk(item, replacements));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, walk(item, replacements)]));
}
