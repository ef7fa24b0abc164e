import { formatGoValue } from '../format/format-value.ts';
import { jsonPathErrors, type JsonPathNode, type SliceBound } from './json-path-node.ts';

export interface JsonPathOptions {
  /** A missing key reaches nothing, instead of an error. */
  readonly allowMissingKeys?: boolean;
  /** Whole numbers of the value are ints, as in Kubernetes' objects. Otherwise all are floats, as in plain JSON. */
  readonly hasIntegers?: boolean;
}

/** A path that cannot be followed. `values` are those that Go returns beside the error. */
export class JsonPathError extends jsonPathErrors.Error {
  readonly values: readonly unknown[];
  constructor(message: string, values: readonly unknown[]) {
    super('PATH_NOT_FOUND', message);
    this.values = values;
  }
}

/** More values than any use has; `..` of `..` multiplies them. */
const maxValues = 1_000_000;

/** The values that a path reaches in a value, as client-go finds them, with its messages. */
export function findJsonPath(
  path: readonly JsonPathNode[],
  value: unknown,
  options: JsonPathOptions = {},
): readonly unknown[] {
  return new Finder(options).list(path, [value]);
}

class Finder {
  private readonly options: JsonPathOptions;

  constructor(options: JsonPathOptions) {
    this.options = options;
  }

  list(path: readonly JsonPathNode[], values: readonly unknown[]): readonly unknown[] {
    let found = values;
    for (const node of path) {
      found = this.step(node, found);
      if (found.length > maxValues) throw new JsonPathError('the path reaches too many values', []);
    }
    return found;
  }

  private step(node: JsonPathNode, values: readonly unknown[]): readonly unknown[] {
    switch (node.kind) {
      case 'field':
        return this.field(node.name, values);
      case 'slice':
        return values.flatMap((value) => slice(node.bounds, value, values));
      case 'filter':
        return this.filter(node, values);
      case 'union':
        return this.union(node.paths, values);
      case 'literal':
        return values.map(() => node.value);
      case 'text':
        return [node.text];
      case 'wildcard':
        return values.flatMap(contents);
      case 'descendants':
        return descendants(values, []);
      case 'identifier':
        return identifier(node.name, values);
    }
  }

  private field(name: string, values: readonly unknown[]): readonly unknown[] {
    if (values.length === 0) return values;
    const found = values.flatMap((value) =>
      isMap(value) && Object.hasOwn(value, name) && value[name] !== undefined ? [value[name]] : [],
    );
    if (found.length === 0 && !this.options.allowMissingKeys) throw new JsonPathError(`${name} is not found`, []);
    return found;
  }

  private union(paths: readonly (readonly JsonPathNode[])[], values: readonly unknown[]): readonly unknown[] {
    try {
      return paths.flatMap((path) => this.list(path, values));
    } catch (error) {
      throw withValues(error, values);
    }
  }

  private filter(node: JsonPathNode & { readonly kind: 'filter' }, values: readonly unknown[]): readonly unknown[] {
    const passed: unknown[] = [];
    for (const value of values) {
      if (!Array.isArray(value))
        throw new JsonPathError(`${formatGoValue(value)} is not array or slice and cannot be filtered`, values);
      for (const item of value) if (this.passes(node, item, values)) passed.push(item);
    }
    return passed;
  }

  private passes(
    { left, operator, right }: JsonPathNode & { readonly kind: 'filter' },
    item: unknown,
    values: readonly unknown[],
  ): boolean {
    if (operator === 'exists') return this.exists(left, item);
    try {
      const one = (path: readonly JsonPathNode[]) => {
        const found = this.list(path, [item]);
        if (found.length > 1) throw new JsonPathError('can only compare one element at a time', values);
        return found;
      };
      const lefts = one(left);
      if (lefts.length === 0) return false;
      const rights = one(right);
      return rights.length > 0 && this.compare(lefts[0], operator, rights[0]);
    } catch (error) {
      throw withValues(error, values);
    }
  }

  /** Go counts the values beside an error, too. */
  private exists(path: readonly JsonPathNode[], item: unknown): boolean {
    try {
      return this.list(path, [item]).length > 0;
    } catch (error) {
      if (error instanceof JsonPathError) return error.values.length > 0;
      throw error;
    }
  }

  private compare(a: unknown, operator: string, b: unknown): boolean {
    if (!['<', '>', '==', '!=', '<=', '>='].includes(operator))
      throw new JsonPathError(`unrecognized filter operator ${operator}`, []);
    const [x, y] = [this.comparable(a), this.comparable(b)];
    if (typeof x !== typeof y) throw new JsonPathError('incompatible types for comparison', []);
    if (operator === '==') return x === y;
    if (operator === '!=') return x !== y;
    if (typeof x === 'boolean') throw new JsonPathError('invalid type for comparison', []);
    if (operator === '<') return x < y;
    if (operator === '<=') return x <= y;
    return operator === '>' ? x > y : x >= y;
  }

  private comparable(value: unknown): string | number | bigint | boolean {
    if (typeof value === 'number') return this.options.hasIntegers && Number.isInteger(value) ? BigInt(value) : value;
    if (typeof value === 'string' || typeof value === 'boolean' || typeof value === 'bigint') return value;
    throw new JsonPathError('invalid type for comparison', []);
  }
}

function withValues(error: unknown, values: readonly unknown[]): unknown {
  return error instanceof JsonPathError ? new JsonPathError(error.message, values) : error;
}

/** Loops over several results are for templates with text around them, which a single path does not have. */
function identifier(name: string, values: readonly unknown[]): readonly unknown[] {
  if (name === 'range') return [];
  if (name === 'end') throw new JsonPathError('not in range, nothing to end', []);
  throw new JsonPathError(`unrecognized identifier ${name}`, values);
}

function slice(
  [first, last, step]: readonly [SliceBound, SliceBound, SliceBound],
  value: unknown,
  values: readonly unknown[],
): readonly unknown[] {
  if (value === null || value === undefined) return [];
  if (!Array.isArray(value)) throw new JsonPathError(`${goTypeOf(value)} is not array or slice`, values);
  const { length } = value;
  const from = first.value < 0 ? first.value + length : first.value;
  const end = last.isKnown ? last.value : length;
  const to = end < 0 || (end === 0 && last.isDerived) ? end + length : end;
  if (from === to) return [];
  const outside = (index: number) =>
    new JsonPathError(`array index out of bounds: index ${index}, length ${length}`, values);
  if (from >= length || from < 0) throw outside(from);
  if (to > length || to < 0) throw outside(to - 1);
  if (from > to) throw new JsonPathError(`starting index ${from} is greater than ending index ${to}`, values);
  if (step.isKnown && step.value <= 0) throw new JsonPathError('step must be > 0', values);
  return value.slice(from, to).filter((_, index) => !step.isKnown || index % step.value === 0);
}

/** Every value that has content, from the outside in. A text has its bytes. */
function descendants(values: readonly unknown[], found: unknown[]): readonly unknown[] {
  for (const value of values) {
    if (found.length > maxValues) break;
    const inner = typeof value === 'string' ? [] : contents(value);
    if (inner.length === 0 && (typeof value !== 'string' || value === '')) continue;
    found.push(value);
    descendants(inner, found);
  }
  return found;
}

function contents(value: unknown): readonly unknown[] {
  if (typeof value === 'string') return [...Buffer.from(value)];
  return typeof value === 'object' && value !== null ? Object.values(value) : [];
}

function isMap(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function goTypeOf(value: unknown): string {
  if (typeof value === 'number') return 'float64';
  if (typeof value === 'boolean') return 'bool';
  return typeof value === 'string' ? 'string' : 'map[string]interface {}';
}
