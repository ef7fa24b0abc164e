import { equalJson, quoteGo, parseJson, stringifyJson } from '@tektite/meta';

/** `f:name`: the path element of a field. */
export function fieldElement(name: string): string {
  let element = elements.get(name);
  if (element === undefined) {
    element = `f:${name}`;
    if (elements.size < maxElements) elements.set(name, element);
  }
  return element;
}

/** Field names repeat in each write; a newly built string is slow as a key. */
const elements = new Map<string, string>();
const maxElements = 10_000;

/** `v:...`: the path element of a value in a set. */
export function valueElement(value: unknown): string {
  return `v:${stringifyJson(value)}`;
}

/** `k:{...}`: the path element of an element of a list-map; keys in order, as Go encodes a map. */
export function keyElement(keys: readonly (readonly [string, unknown])[]): string {
  const sorted = [...keys].sort(([a], [b]) => (a < b ? -1 : 1));
  return `k:{${sorted.map(([name, value]) => `${stringifyJson(name)}:${stringifyJson(value)}`).join(',')}}`;
}

/** A path as messages show it: `.spec.containers[name="c"].image`. */
export function formatFieldPath(path: readonly string[]): string {
  return path.map(formatElement).join('');
}

function formatElement(element: string): string {
  const text = element.slice(2);
  switch (element[0]) {
    case 'f':
      return `.${text}`;
    case 'k': {
      const keys = parseJson(text) as Record<string, unknown>;
      return `[${Object.keys(keys)
        .sort()
        .map((key) => `${key}=${formatValue(keys[key])}`)
        .join(',')}]`;
    }
    case 'v':
      return `[=${formatValue(parseJson(text))}]`;
    default:
      return `[${text}]`;
  }
}

function formatValue(value: unknown): string {
  return typeof value === 'string' ? quoteGo(value) : stringifyJson(value);
}

/** Whether two values would be the same leaf. */
export const sameValue: (a: unknown, b: unknown) => boolean = equalJson;
