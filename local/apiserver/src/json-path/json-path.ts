import { findJsonPath, type JsonPathNode, parseJsonPath } from '@tektite/go';

const parsed = new Map<string, readonly JsonPathNode[]>();
const maxParsed = 1000;
const options = { allowMissingKeys: true, hasIntegers: true };

/** The first value that a path of a CRD reaches, such as `.spec.replicas`; `undefined` when there is none. */
export function readJsonPath(value: unknown, path: string): unknown {
  return readAll(value, path)[0];
}

/**
 * All values that a path reaches, in the dialect of kubectl and of printer columns: fields, indexes, slices, unions,
 * wildcards, `..` and filters like `.status.conditions[?(@.type=="Ready")].status`. A field that is not there reaches
 * nothing; an index beyond the end or a comparison of unlike values throws.
 */
export function readAll(value: unknown, path: string): readonly unknown[] {
  return findJsonPath(nodesOf(path), value, options);
}

function nodesOf(path: string): readonly JsonPathNode[] {
  let nodes = parsed.get(path);
  if (!nodes) {
    if (parsed.size >= maxParsed) parsed.clear();
    parsed.set(path, (nodes = parseJsonPath(path.startsWith('{') ? path.slice(1, -1) : path)));
  }
  return nodes;
}
