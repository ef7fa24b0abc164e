import type { CallEstimate, Operand, SizeAt } from './call-estimate.ts';
import { add, fixed, multiply, type Range, scale, sum, union, unknownSize, unlimited } from './cost-range.ts';
import type { CheckedExpression } from './language/checker.ts';
import type { Call, Comprehension, Expression } from './language/expression.ts';
import { accumulatorName } from './language/expression.ts';
import { regexFactor, traversalFactor } from './language/runtime-cost.ts';
import type { CelType } from './language/type.ts';
import { libraryCost } from './library-cost.ts';

/** The least and the most an expression can cost, before any value is known. */
export function estimateCost(checked: CheckedExpression, sizeAt: SizeAt): Range {
  return new Estimator(checked, sizeAt).cost(checked.expression);
}

interface EntrySize {
  readonly kind: 'list' | 'map';
  readonly key: Range;
  readonly value: Range;
}

interface Local {
  readonly path: readonly string[];
  readonly size: Range | undefined;
  readonly entries: EntrySize | undefined;
}

class Estimator {
  private readonly checked: CheckedExpression;
  private readonly sizeAt: SizeAt;
  private readonly paths = new Map<Expression, readonly string[]>();
  private readonly sizes = new Map<Expression, Range>();
  private readonly entrySizes = new Map<Expression, EntrySize>();
  private readonly locals: { name: string; local: Local }[] = [];

  constructor(checked: CheckedExpression, sizeAt: SizeAt) {
    this.checked = checked;
    this.sizeAt = sizeAt;
  }

  cost(expression: Expression): Range {
    switch (expression.kind) {
      case 'literal':
        return fixed(0);
      case 'identifier':
        this.paths.set(expression, this.local(expression.name)?.path ?? [expression.name]);
        return fixed(1);
      case 'select': {
        const operand = this.cost(expression.operand);
        if (expression.testOnly) return operand;
        this.paths.set(expression, [...this.path(expression.operand), expression.field]);
        const { kind } = this.checked.typeOf(expression.operand);
        return kind === 'map' || kind === 'struct' || kind === 'param' ? add(operand, fixed(1)) : operand;
      }
      case 'call':
        return this.callCost(expression);
      case 'list': {
        const items = expression.elements.map(({ value }) => this.cost(value));
        const sizes = expression.elements.map(({ value }) => this.sizeOrUnknown(value));
        this.entrySizes.set(expression, { kind: 'list', key: fixed(1), value: unionAll(sizes) });
        return sum(...items, fixed(10));
      }
      case 'map': {
        const parts = expression.entries.flatMap(({ key, value }) => [this.cost(key), this.cost(value)]);
        this.entrySizes.set(expression, {
          kind: 'map',
          key: unionAll(expression.entries.map(({ key }) => this.sizeOrUnknown(key))),
          value: unionAll(expression.entries.map(({ value }) => this.sizeOrUnknown(value))),
        });
        return sum(...parts, fixed(30));
      }
      case 'struct':
        return sum(...expression.fields.map(({ value }) => this.cost(value)), fixed(40));
      case 'comprehension':
        return isBinding(expression) ? this.bindingCost(expression) : this.loopCost(expression);
    }
  }

  private local(name: string): Local | undefined {
    return this.locals.findLast((each) => each.name === name)?.local;
  }

  private path(expression: Expression): readonly string[] {
    if (expression.kind === 'identifier') {
      const local = this.local(expression.name);
      if (local) return local.path;
    }
    return this.paths.get(expression) ?? [];
  }

  private size(expression: Expression): Range | undefined {
    const known = this.sizes.get(expression) ?? literalSize(expression);
    if (known) return known;
    const path = this.path(expression);
    const declared = path.length > 0 ? this.sizeAt(path) : undefined;
    if (declared) return declared;
    if (isScalar(this.checked.typeOf(expression))) return fixed(1);
    return expression.kind === 'identifier' ? this.local(expression.name)?.size : undefined;
  }

  private sizeOrUnknown(expression: Expression): Range {
    return this.size(expression) ?? unknownSize;
  }

  private entries(expression: Expression): EntrySize | undefined {
    const known = this.entrySizes.get(expression);
    if (known || expression.kind !== 'identifier') return known;
    return this.local(expression.name)?.entries;
  }

  private operand(expression: Expression): Operand {
    const path = this.path(expression);
    return {
      type: this.checked.typeOf(expression),
      path: path[0] === accumulatorName ? [] : path,
      size: this.size(expression),
      ...(expression.kind === 'literal' ? { literal: expression.value } : {}),
    };
  }

  private callCost(call: Call): Range {
    if (call.name === 'dyn' && !call.target) {
      const inner = call.args[0] as Expression;
      const cost = this.cost(inner);
      this.copySizes(call, inner);
      return add(cost, fixed(1));
    }
    const argCosts = call.args.map((arg) => this.cost(arg));
    const resolution = this.checked.resolutionOf(call);
    const isMethod = resolution?.kind === 'call' && resolution.isMethod;
    const targetCost = isMethod && call.target ? this.cost(call.target) : fixed(0);
    const name = resolution?.kind === 'call' ? resolution.name : call.name;
    const ids = resolution?.kind === 'call' ? resolution.overloads.map(({ id }) => id) : [];
    if (ids.length === 0) ids.push(call.name === '_?._' ? 'select_optional_field' : '');
    let total: Range = { min: unlimited, max: 0 };
    let resultSize: Range | undefined;
    for (const id of ids) {
      const estimate = this.functionCost(call, name, id, isMethod ? call.target : undefined, argCosts);
      total = union(total, estimate.cost);
      if (estimate.resultSize) resultSize = resultSize ? union(resultSize, estimate.resultSize) : estimate.resultSize;
      const container = call.args[0];
      if (container && (id === 'index_list' || id === 'index_map')) {
        resultSize = this.entries(container)?.value;
        this.paths.set(call, [...this.path(container), id === 'index_list' ? '@items' : '@values']);
      }
      resultSize ??= this.size(call);
    }
    if (resultSize) this.sizes.set(call, resultSize);
    return add(targetCost, total);
  }

  private copySizes(to: Expression, from: Expression): void {
    const size = this.size(from);
    if (size) this.sizes.set(to, size);
    const entries = this.entries(from);
    if (entries) this.entrySizes.set(to, entries);
  }

  private functionCost(
    call: Call,
    name: string,
    id: string,
    target: Expression | undefined,
    argCosts: readonly Range[],
  ): CallEstimate {
    const args = call.args.map((arg) => this.operand(arg));
    const all = sum(...argCosts);
    const own = libraryCost(name, id, target && this.operand(target), args, this.sizeAt);
    if (own) return { ...own, cost: add(own.cost, all) };
    const estimate = this.languageCost(call, id, target, argCosts);
    return estimate ?? { cost: add(fixed(1), all) };
  }

  /** Costs of the language itself that depend on sizes. */
  private languageCost(
    call: Call,
    id: string,
    target: Expression | undefined,
    argCosts: readonly Range[],
  ): CallEstimate | undefined {
    const [first, second, third] = call.args as [Expression, Expression, Expression];
    const all = sum(...argCosts);
    const plus = (cost: Range, resultSize?: Range): CallEstimate => ({
      cost: add(cost, all),
      ...(resultSize ? { resultSize } : {}),
    });
    const traverse = (expression: Expression) => scale(this.sizeOrUnknown(expression), traversalFactor);
    switch (id) {
      case 'string_format':
        return target && plus(traverse(target));
      case 'string_to_bytes': {
        const size = this.sizeOrUnknown(first);
        return plus(traverse(first), { min: size.min, max: Math.min(size.max * 4, unlimited) });
      }
      case 'bytes_to_string': {
        const size = this.sizeOrUnknown(first);
        return plus(traverse(first), { min: Math.floor(size.min / 4), max: size.max });
      }
      case 'strings_quote': {
        const size = this.sizeOrUnknown(first);
        return plus(traverse(first), { min: size.min + 2, max: Math.min(size.max * 2 + 2, unlimited) });
      }
      case 'starts_with_string':
      case 'ends_with_string':
        return plus(traverse(first));
      case 'in_list':
        return plus(this.sizeOrUnknown(second));
      case 'matches':
        return plus(this.regexCost(first, second));
      case 'matches_string':
        return target && plus(this.regexCost(target, first));
      case 'contains_string':
        return target && plus(multiply(traverse(target), traverse(first)));
      case 'logical_or':
      case 'logical_and': {
        const [left, right] = argCosts as [Range, Range];
        return { cost: { min: left.min, max: add(left, right).max } };
      }
      case 'conditional': {
        const [test, yes, no] = argCosts as [Range, Range, Range];
        const entries = unionEntries(this.entries(second), this.entries(third));
        if (entries) this.entrySizes.set(call, entries);
        return {
          cost: add(test, union(yes, no)),
          resultSize: union(this.sizeOrUnknown(second), this.sizeOrUnknown(third)),
        };
      }
      case 'add_string':
      case 'add_bytes':
      case 'add_list': {
        const size = add(this.sizeOrUnknown(first), this.sizeOrUnknown(second));
        const entries = unionEntries(this.entries(first), this.entries(second));
        if (entries) this.entrySizes.set(call, entries);
        return plus(id === 'add_list' ? fixed(1) : scale(size, traversalFactor), size);
      }
      default:
        return comparesBySize(id) ? plus(this.comparisonCost(first, second)) : undefined;
    }
  }

  private regexCost(text: Expression, pattern: Expression): Range {
    const textCost = scale(add(this.sizeOrUnknown(text), fixed(1)), traversalFactor);
    return multiply(textCost, scale(this.sizeOrUnknown(pattern), regexFactor));
  }

  private comparisonCost(left: Expression, right: Expression): Range {
    const max = Math.min(this.sizeOrUnknown(left).max, this.sizeOrUnknown(right).max);
    return scale({ min: max > 0 ? 1 : 0, max }, traversalFactor);
  }

  private loopCost(loop: Comprehension): Range {
    const before = add(this.cost(loop.range), this.cost(loop.initial));
    this.locals.push({ name: loop.accumulator, local: this.localOf(loop.initial) });
    const entries = this.entries(loop.range);
    const kind = entries?.kind ?? this.checked.typeOf(loop.range).kind;
    const path = this.path(loop.range);
    const key: Local = {
      path: [...path, kind === 'list' ? '@indices' : '@keys'],
      size: entries?.key,
      entries: undefined,
    };
    const value: Local = {
      path: [...path, kind === 'list' ? '@items' : '@values'],
      size: entries?.value,
      entries: undefined,
    };
    const single = kind === 'list' ? value : key;
    this.locals.push({ name: loop.variable, local: loop.variable2 === undefined ? single : key });
    if (loop.variable2 !== undefined) this.locals.push({ name: loop.variable2, local: value });
    const each = add(this.cost(loop.condition), this.cost(loop.step));
    this.locals.length -= loop.variable2 === undefined ? 1 : 2;
    const result = this.cost(loop.result);
    this.locals.pop();
    const count = this.sizeOrUnknown(loop.range);
    this.sizeOfLoop(loop, count);
    return sum(before, result, multiply(count, each));
  }

  private sizeOfLoop(loop: Comprehension, count: Range): void {
    if (loop.initial.kind === 'literal') {
      const size = this.size(loop.initial);
      if (size) this.sizes.set(loop, size);
    } else if (loop.initial.kind === 'list' || loop.initial.kind === 'map') {
      this.sizes.set(loop, count);
      const entries = this.entries(loop.step);
      if (entries) this.entrySizes.set(loop, entries);
    }
  }

  private localOf(expression: Expression): Local {
    return { path: this.path(expression), size: this.size(expression), entries: this.entries(expression) };
  }

  private bindingCost(loop: Comprehension): Range {
    const before = add(this.cost(loop.range), this.cost(loop.initial));
    this.locals.push({ name: loop.accumulator, local: this.localOf(loop.initial) });
    const result = this.cost(loop.result);
    this.locals.pop();
    this.copySizes(loop, loop.result);
    return add(before, result);
  }
}

/** A fold over nothing that only gives a value a name. */
function isBinding({ range, condition, accumulator }: Comprehension): boolean {
  return (
    range.kind === 'list' &&
    range.elements.length === 0 &&
    condition.kind === 'literal' &&
    condition.value === false &&
    accumulator !== accumulatorName
  );
}

const comparesBySize = (id: string): boolean =>
  id === 'equals' || id === 'not_equals' || /^(less|greater)(_equals)?_(string|bytes)$/.test(id);

function literalSize(expression: Expression): Range | undefined {
  if (expression.kind === 'list') return fixed(expression.elements.length);
  if (expression.kind === 'map') return fixed(expression.entries.length);
  if (expression.kind !== 'literal') return undefined;
  const { value } = expression;
  if (typeof value === 'string') return fixed(Array.from(value).length);
  return fixed(value instanceof Uint8Array ? value.length : 1);
}

function isScalar(type: CelType): boolean {
  if (type.kind === 'opaque' && type.name === 'optional_type') return isScalar(type.params[0] as CelType);
  return ['bool', 'double', 'duration', 'int', 'timestamp', 'uint'].includes(type.kind);
}

const unionAll = (ranges: readonly Range[]): Range =>
  ranges.length === 0 ? fixed(0) : ranges.reduce(union, { min: unlimited, max: 0 });

function unionEntries(a: EntrySize | undefined, b: EntrySize | undefined): EntrySize | undefined {
  return a && b ? { kind: a.kind, key: union(a.key, b.key), value: union(a.value, b.value) } : undefined;
}
