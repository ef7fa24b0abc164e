import { parseJsonPath } from './json-path-parser.ts';
import { evaluateSteps, type JsonPathStep } from './json-path-step.ts';

const parsed = new Map<string, readonly JsonPathStep[]>();
const maxParsed = 1000;

/** The first value that a path of a CRD reaches, such as `.spec.replicas`; `undefined` when there is none. */
export function readJsonPath(value: unknown, path: string): unknown {
  return readAll(value, path)[0];
}

/**
 * All values that a path reaches, in the dialect of kubectl and of printer columns: fields, indexes, slices, unions,
 * wildcards, `..` and filters like `.status.conditions[?(@.type=="Ready")].status`. A field that is not there reaches
 * nothing; an index beyond the end or a comparison of unlike values throws.
 */
export function readAll(value: unknown, path: string): unknown[] {
  return evaluateSteps(stepsOf(path), [value]);
}

function stepsOf(path: string): readonly JsonPathStep[] {
  let steps = parsed.get(path);
  if (!steps) {
    if (parsed.size >= maxParsed) parsed.clear();
    parsed.set(path, (steps = parseJsonPath(path.startsWith('{') ? path.slice(1, -1) : path)));
  }
  return steps;
}
