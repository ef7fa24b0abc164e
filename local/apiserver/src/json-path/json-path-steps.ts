import type { JsonPathStep } from './json-path-step.ts';

/** An operator of a filter. */
export type Comparison = '<' | '>' | '==' | '!=' | '<=' | '>=';

/** The values of an object or list. */
export const children: JsonPathStep = (values) => values.flatMap(contents);

/** Every object and list that is not empty, from the outside in. */
export const descendants: JsonPathStep = (values) =>
  values.flatMap((value) => {
    const inner = contents(value);
    return inner.length > 0 ? [value, ...descendants(inner)] : [];
  });

/** A field of objects; whatever is no object has none. */
export function member(name: string): JsonPathStep {
  return (values) =>
    values.flatMap((value) =>
      typeof value === 'object' && value !== null && !Array.isArray(value) && Object.hasOwn(value, name)
        ? [(value as Record<string, unknown>)[name]]
        : [],
    );
}

/** The same value for whatever there is. */
export function literal(value: unknown): JsonPathStep {
  return (values) => values.map(() => value);
}

/** Concatenates the results of several paths. */
export function union(paths: readonly (readonly JsonPathStep[])[]): JsonPathStep {
  return (values) => paths.flatMap((steps) => steps.reduce<unknown[]>((found, step) => step(found), [...values]));
}

/** Elements of lists. `one`: the element at `start` alone. Negative numbers count from the end. */
export function slice(start: number, end: number | 'one' | undefined, step = 1): JsonPathStep {
  return (values) =>
    values.flatMap((value) => {
      if (value === null) return [];
      if (!Array.isArray(value)) throw new TypeError('not an array or slice');
      const { length } = value;
      const from = start < 0 ? start + length : start;
      let to = end === 'one' ? start + 1 : (end ?? length);
      if (to < 0 || (to === 0 && end === 'one')) to += length;
      if (from === to) return [];
      if (from < 0 || from >= length || to < 0 || to > length || from > to)
        throw new RangeError(`array index out of bounds: index ${from}, length ${length}`);
      if (step <= 0) throw new RangeError('step must be > 0');
      return value.slice(from, to).filter((_, index) => index % step === 0);
    });
}

/** The elements of lists that pass. */
export function filter(passes: (item: unknown) => boolean): JsonPathStep {
  return (values) =>
    values.flatMap((value) => {
      if (!Array.isArray(value)) throw new TypeError('not an array or slice and cannot be filtered');
      return value.filter(passes);
    });
}

/** A test of an element: what two paths reach from it, compared. An element where one reaches nothing does not pass. */
export function compare(left: JsonPathStep, operator: Comparison, right: JsonPathStep): (item: unknown) => boolean {
  return (item) => {
    const [lefts, rights] = [left([item]), right([item])];
    if (lefts.length === 0 || rights.length === 0) return false;
    if (lefts.length > 1 || rights.length > 1) throw new TypeError('can only compare one element at a time');
    return holds(lefts[0], operator, rights[0]);
  };
}

function holds(a: unknown, operator: Comparison, b: unknown): boolean {
  const comparable =
    typeof a === typeof b && (typeof a === 'string' || typeof a === 'number' || typeof a === 'boolean');
  if (!comparable) throw new TypeError('incompatible types for comparison');
  if (operator === '==') return a === b;
  if (operator === '!=') return a !== b;
  if (typeof a === 'boolean') throw new TypeError('invalid type for comparison');
  const [x, y] = [a as string | number, b as string | number];
  if (operator === '<') return x < y;
  if (operator === '<=') return x <= y;
  return operator === '>' ? x > y : x >= y;
}

function contents(value: unknown): unknown[] {
  return typeof value === 'object' && value !== null ? Object.values(value) : [];
}
