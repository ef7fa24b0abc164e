import type { Replacements } from './replacements.ts';
import { replaceText } from './replace-text.ts';
import { withinLimit } from './size-limit.ts';

type Strings = Pick<Replacements, 'strings'>;

/**
 * Any JSON with the variables in all its texts replaced, and in the names of labels that are asked for. For Pod templates, where
 * every text may have some.
 */
export function replaceEverywhere<T>(value: T, replacements: Strings): T {
  return withinLimit('TaskRunValidationFailed', () => walk(value, replacements, false)) as T;
}

/** Fields whose keys are labels of nodes and Pods, and thus texts as well. */
const labelFields: ReadonlySet<string> = new Set(['nodeSelector', 'matchLabels']);

function walk(value: unknown, replacements: Strings, hasLabels: boolean): unknown {
  if (typeof value === 'string') return replaceText(value, replacements);
  if (Array.isArray(value)) return value.map((item) => walk(item, replacements, false));
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).map(([key, item]) => [
    hasLabels ? replaceText(key, replacements) : key,
    walk(item, replacements, labelFields.has(key)),
  ]);
  return Object.fromEntries(entries);
}
