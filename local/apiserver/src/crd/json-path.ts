import { parseJsonPath } from './json-path-parser.ts';

/** Takes all values reached so far and returns those that the next step of a path reaches. Throws when it makes no sense. */
export type JsonPathStep = (values: readonly unknown[]) => unknown[];

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

/** Runs the steps of a path one after the other. */
export function evaluateSteps(steps: readonly JsonPathStep[], values: readonly unknown[]): unknown[] {
  return steps.reduce<unknown[]>((found, step) => step(found), [...values]);
}

function stepsOf(path: string): readonly JsonPathStep[] {
  let steps = parsed.get(path);
  if (!steps) {
    if (parsed.size >= maxParsed) parsed.clear();
    parsed.set(path, (steps = parseJsonPath(path.startsWith('{') ? path.slice(1, -1) : path)));
  }
  return steps;
}
