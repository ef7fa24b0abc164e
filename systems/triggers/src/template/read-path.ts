import { findJsonPath, goJson, type JsonPathNode, parseJsonPath } from '@tektite/go';

const relaxed = /^\{\.?([^{}]+)\}$|^\.?([^{}]+)$/;
const expected =
  "unexpected path string, expected a 'name1.name2' or '.name1.name2' or '{name1.name2}' or '{.name1.name2}'";

const parsed = new Map<string, readonly JsonPathNode[]>();
const maxParsed = 1000;

/**
 * The text of the value at a path, for use inside JSON: strings are escaped and have no quotes, everything else is JSON, several
 * values are a list.
 */
export function readPath(event: unknown, path: string): string {
  if (path === '') return '';
  const values = findJsonPath(nodesOf(path), event);
  if (values.length !== 1) return goJson(values);
  const [value] = values;
  const text = goJson(value ?? null);
  return typeof value === 'string' ? text.slice(1, -1) : text;
}

function nodesOf(path: string): readonly JsonPathNode[] {
  const known = parsed.get(path);
  if (known) return known;
  const nodes = parse(path);
  if (parsed.size >= maxParsed) parsed.clear();
  parsed.set(path, nodes);
  return nodes;
}

function parse(path: string): readonly JsonPathNode[] {
  const match = relaxed.exec(path);
  if (!match) throw new Error(expected);
  return parseJsonPath(`.${match[1] ?? match[2] ?? ''}`);
}
