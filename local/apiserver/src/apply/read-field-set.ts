import { parseJson } from '@tektite/meta';
import { emptySet, type FieldSet } from './field-set.ts';

/**
 * A set of fields as a client sent it (FieldsV1), checked. Elements of an unknown kind are left out, for clients newer
 * than this server; `undefined` when it is no set.
 */
export function readFieldSet(value: unknown): FieldSet | undefined {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined;
  const result: Record<string, FieldSet> = {};
  for (const [element, child] of Object.entries(value as Record<string, unknown>)) {
    if (element === '.') {
      result['.'] = emptySet;
      continue;
    }
    const kind = elementKind(element);
    if (kind === 'bad') return undefined;
    const set = readFieldSet(child);
    if (!set) return undefined;
    if (kind === 'known') result[element] = set;
  }
  return result;
}

function elementKind(element: string): 'known' | 'unknown' | 'bad' {
  if (element[1] !== ':') return 'bad';
  const text = element.slice(2);
  switch (element[0]) {
    case 'f':
      return 'known';
    case 'k':
      return isObjectText(text) ? 'known' : 'bad';
    case 'v':
      return parse(text) === undefined ? 'bad' : 'known';
    case 'i':
      return /^-?[0-9]+$/.test(text) ? 'known' : 'bad';
    default:
      return 'unknown';
  }
}

function isObjectText(text: string): boolean {
  const value = parse(text);
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function parse(text: string): unknown {
  try {
    return parseJson(text);
  } catch {
    return undefined;
  }
}
