import type { KubeObject } from '@tektite/meta';
import type { FieldPath } from '../input/read-documents.ts';

/** A field whose value the server cannot read, and a sentence about it. */
export interface UndecodableField {
  readonly path: FieldPath;
  readonly message: string;
}

/** `json: cannot unmarshal bool into Go struct field ParamSpec.spec.params.name of type string`. */
const wrongType = /cannot unmarshal (\w+) into Go struct field \w+\.([\w.]+) of type (\S+)/;
/** `time: invalid duration "abc"`. */
const wrongDuration = /time: (?:invalid|missing unit in|unknown unit .* in) duration ("(?:[^"\\]|\\.)*")/;

/**
 * Finds the field that a server could not decode. Its message names no place in a list, or only the value: both are searched for in
 * the object.
 */
export function undecodableField(object: KubeObject, message: string): UndecodableField | undefined {
  const [, type = '', names, wanted = ''] = wrongType.exec(message) ?? [];
  if (names !== undefined) {
    const found = search(object, (path, value) => typeOf(value) === type && namesOf(path) === names);
    return found && { path: found.path, message: sentence(found.path, found.value, typeNames[wanted] ?? wanted) };
  }
  const text = wrongDuration.exec(message)?.[1];
  if (text === undefined) return undefined;
  const found = search(object, (path, value) => isTimeout(path) && JSON.stringify(value) === text);
  return found && { path: found.path, message: `${pathText(found.path)} must be a time, as 30s or 1h30m, not ${text}` };
}

/** Finds a name that YAML did not read as text: `n`, `no` and `off` are false there. */
export function nameOfAnotherType(object: KubeObject): UndecodableField | undefined {
  const found = search(
    object,
    (path, value) =>
      path.at(-1) === 'name' && (typeof value === 'boolean' || typeof value === 'number') && isTyped(path),
  );
  return found && { path: found.path, message: sentence(found.path, found.value, 'a string') };
}

/** Names in data, labels and values of params are the user's own. */
function isTyped(path: FieldPath): boolean {
  return (path[0] === 'metadata' || path[0] === 'spec') && !path.some((part) => free.has(String(part)));
}

const free: ReadonlySet<string> = new Set(['value', 'default', 'labels', 'annotations', 'properties']);

const typeNames: Readonly<Record<string, string>> = { string: 'a string', bool: 'a bool', int: 'a number' };

function sentence(path: FieldPath, value: unknown, wanted: string): string {
  const scalar = typeof value === 'boolean' || typeof value === 'number';
  const found = scalar ? `the ${typeOf(value)} ${JSON.stringify(value)}` : `an ${typeOf(value)}`;
  const why = typeof value === 'boolean' ? 'YAML reads y, n, yes, no, on and off as bools; ' : '';
  const remedy = scalar && wanted === 'a string' ? `; ${why}quote it` : '';
  return `${pathText(path)} must be ${wanted}, not ${found}${remedy}`;
}

function isTimeout(path: FieldPath): boolean {
  return path.some((part) => /timeout/i.test(String(part)));
}

interface Found {
  readonly path: FieldPath;
  readonly value: unknown;
}

function search(
  value: unknown,
  matches: (path: FieldPath, value: unknown) => boolean,
  path: FieldPath = [],
): Found | undefined {
  if (path.length > 0 && matches(path, value)) return { path, value };
  if (typeof value !== 'object' || value === null) return undefined;
  const entries: readonly (readonly [string | number, unknown])[] = Array.isArray(value)
    ? value.map((item, index) => [index, item] as const)
    : Object.entries(value);
  for (const [key, child] of entries) {
    const found = search(child, matches, [...path, key]);
    if (found) return found;
  }
  return undefined;
}

/** The type in the words of Go's decoder. */
function typeOf(value: unknown): string {
  if (Array.isArray(value)) return 'array';
  return typeof value === 'boolean' ? 'bool' : typeof value;
}

const namesOf = (path: FieldPath) => path.filter((part) => typeof part === 'string').join('.');

function pathText(path: FieldPath): string {
  return path
    .map((part, index) => (typeof part === 'number' ? `[${part}]` : `${index > 0 ? '.' : ''}${part}`))
    .join('');
}
