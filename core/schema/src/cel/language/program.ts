import type { CheckedExpression } from './checker.ts';
import type { Overload } from './declarations.ts';
import { CostExceededError, Evaluation, EvaluationError, Failure, noSuchOverload } from './evaluation.ts';
import type { Call, Comprehension, Expression, ListLiteral, MapLiteral, Select, StructLiteral } from './expression.ts';
import { matchesType } from './overload-match.ts';
import { callCost } from './runtime-cost.ts';
import { ArrayList, EntryMap, ListValue, MapValue, mapKey, Optional, TypeValue, Uint, type Value } from './value.ts';

type Step = (run: Evaluation) => Value;

/** How an expression ended: with a value or an error, and at what cost. */
export interface Outcome {
  readonly value?: Value;
  readonly error?: EvaluationError | CostExceededError;
  readonly cost: number;
}

/** An expression ready to run, many times. */
export interface Program {
  /** Runs it. Variables are asked for by name when they are needed; `limit` is the most it may cost. */
  run(variables: (name: string) => Value | undefined, limit: number): Outcome;
}

/** Makes a program of a checked expression. */
export function compileProgram(checked: CheckedExpression, makeStruct?: StructMaker): Program {
  const step = new Planner(checked, makeStruct).plan(checked.expression);
  return {
    run(variables, limit) {
      const run = new Evaluation(variables, limit);
      try {
        return { value: step(run), cost: run.cost };
      } catch (error) {
        if (error instanceof EvaluationError || error instanceof CostExceededError) return { error, cost: run.cost };
        throw error;
      }
    },
  };
}

/** Makes the value of `Type{field: value}`. */
export type StructMaker = (typeName: string, fields: ReadonlyMap<string, Value>) => Value;

class Planner {
  private readonly checked: CheckedExpression;
  private readonly makeStruct: StructMaker | undefined;
  private readonly slots: string[] = [];

  constructor(checked: CheckedExpression, makeStruct: StructMaker | undefined) {
    this.checked = checked;
    this.makeStruct = makeStruct;
  }

  plan(expression: Expression): Step {
    switch (expression.kind) {
      case 'literal': {
        const { value } = expression;
        return () => value;
      }
      case 'identifier':
        return this.name(expression, expression.name);
      case 'select':
        return this.select(expression);
      case 'call':
        return this.call(expression);
      case 'list':
        return this.list(expression);
      case 'map':
        return this.map(expression);
      case 'struct':
        return this.struct(expression);
      case 'comprehension':
        return this.comprehension(expression);
    }
  }

  private name(expression: Expression, fallback: string): Step {
    const resolution = this.checked.resolutionOf(expression);
    if (resolution?.kind === 'type') {
      const value = new TypeValue(resolution.type);
      return (run) => {
        run.charge(1);
        return value;
      };
    }
    const name = resolution?.kind === 'variable' ? resolution.name : fallback;
    const slot = this.slots.lastIndexOf(name);
    return (run) => {
      run.charge(1);
      return slot < 0 ? run.variable(name) : run.local(slot);
    };
  }

  private select(expression: Select): Step {
    if (!expression.testOnly && this.checked.resolutionOf(expression)) return this.name(expression, expression.field);
    const operand = this.plan(expression.operand);
    const { field, testOnly } = expression;
    return (run) => {
      const value = operand(run);
      if (testOnly) return hasField(value, field);
      run.charge(1);
      return value instanceof Optional ? selectOptional(value, field) : getField(value, field);
    };
  }

  private call(expression: Call): Step {
    const { name, target, args } = expression;
    const [first, second, third] = args.map((arg) => () => this.plan(arg));
    switch (name) {
      case '_&&_':
        return logical((first as () => Step)(), (second as () => Step)(), false);
      case '_||_':
        return logical((first as () => Step)(), (second as () => Step)(), true);
      case '_?_:_':
        return conditional((first as () => Step)(), (second as () => Step)(), (third as () => Step)());
      case '@not_strictly_false':
        return notStrictlyFalse((first as () => Step)());
      case '_?._':
        return this.optionalSelect(args[0] as Expression, (args[1] as { value: string }).value);
      case 'or':
      case 'orValue':
        if (target && args.length === 1)
          return optionalOr(this.plan(target), (first as () => Step)(), name === 'orValue');
    }
    return this.function(expression);
  }

  private optionalSelect(operand: Expression, field: string): Step {
    const step = this.plan(operand);
    return (run) => {
      const value = step(run);
      run.charge(1);
      return selectOptional(value instanceof Optional ? value : new Optional(value), field);
    };
  }

  private function(expression: Call): Step {
    const resolution = this.checked.resolutionOf(expression);
    if (resolution?.kind !== 'call') throw new Error(`call of '${expression.name}' was not resolved`);
    const parts = resolution.isMethod ? [expression.target as Expression, ...expression.args] : expression.args;
    const steps = parts.map((part) => this.plan(part));
    const candidates = resolution.overloads.map((overload) => ({
      overload,
      cost: callCost(resolution.name, overload.id),
    }));
    return (run) => {
      const args = steps.map((step) => step(run));
      for (const { overload, cost } of candidates) {
        if (!accepts(overload, args)) continue;
        const result = (overload.call as (...args: Value[]) => Value)(...args);
        run.charge(cost(args, result, overload.id));
        return result;
      }
      throw noSuchOverload();
    };
  }

  private list(expression: ListLiteral): Step {
    const elements = expression.elements.map(({ value, optional }) => ({ step: this.plan(value), optional }));
    return (run) => {
      const items: Value[] = [];
      for (const { step, optional } of elements) {
        const value = step(run);
        const present = optional ? unwrap(value) : value;
        if (present !== undefined) items.push(present);
      }
      run.charge(10);
      return new ArrayList(items);
    };
  }

  private map(expression: MapLiteral): Step {
    const entries = expression.entries.map(({ key, value, optional }) => ({
      key: this.plan(key),
      value: this.plan(value),
      optional,
    }));
    return (run) => {
      const pairs: [Value, Value][] = [];
      const seen = new Set<string>();
      for (const entry of entries) {
        const key = entry.key(run);
        const id = mapKey(key);
        if (id === undefined || typeof key === 'number') throw new EvaluationError('unsupported key type');
        const value = entry.value(run);
        const present = entry.optional ? unwrap(value) : value;
        if (present === undefined) continue;
        if (seen.has(id)) throw new EvaluationError(`Failed with repeated key: ${formatKey(key)}`);
        seen.add(id);
        pairs.push([key, present]);
      }
      run.charge(30);
      return EntryMap.of(pairs);
    };
  }

  private struct(expression: StructLiteral): Step {
    const fields = expression.fields.map(({ name, value, optional }) => ({ name, step: this.plan(value), optional }));
    const { typeName } = expression;
    return (run) => {
      const values = new Map<string, Value>();
      for (const { name, step, optional } of fields) {
        const value = step(run);
        const present = optional ? unwrap(value) : value;
        if (present !== undefined) values.set(name, present);
      }
      run.charge(40);
      if (!this.makeStruct) throw new EvaluationError(`unknown type '${typeName}'`);
      return this.makeStruct(typeName, values);
    };
  }

  private comprehension(expression: Comprehension): Step {
    const range = this.plan(expression.range);
    const initial = this.plan(expression.initial);
    const accumulator = this.slots.push(expression.accumulator) - 1;
    const first = this.slots.push(expression.variable) - 1;
    const second = expression.variable2 === undefined ? -1 : this.slots.push(expression.variable2) - 1;
    const condition = this.plan(expression.condition);
    const step = this.plan(expression.step);
    // A loop that no element can end early cannot get over an error either.
    const absorbs = expression.condition.kind !== 'literal';
    this.slots.length = accumulator + 1;
    const result = this.plan(expression.result);
    this.slots.length = accumulator;
    return (run) => {
      const over = range(run);
      run.locals[accumulator] = initial(run);
      for (const [key, value] of iterate(over, second >= 0)) {
        run.locals[first] = key;
        if (second >= 0) run.locals[second] = value;
        if (condition(run) !== true) break;
        run.locals[accumulator] = absorbs ? attempt(step, run) : step(run);
      }
      return result(run);
    };
  }
}

function accepts(overload: Overload, args: readonly Value[]): boolean {
  return overload.params.every((param, index) => matchesType(args[index] as Value, param));
}

/** Pairs for loops of two variables; for loops of one variable the first of each pair counts. */
function* iterate(over: Value, pairs: boolean): Iterable<readonly [Value, Value]> {
  if (over instanceof ListValue) {
    for (let i = 0; i < over.size; i++) yield pairs ? [BigInt(i), over.at(i)] : [over.at(i), null];
  } else if (over instanceof MapValue) {
    for (const key of over.keys()) yield [key, pairs ? (over.find(key) ?? null) : null];
  } else throw noSuchOverload();
}

function attempt(step: Step, run: Evaluation): Value | Failure {
  try {
    return step(run);
  } catch (error) {
    if (error instanceof EvaluationError) return new Failure(error);
    throw error;
  }
}

/** `&&` and `||`: if one side decides, errors of the other do not matter, in whichever order they stand. */
function logical(left: Step, right: Step, decisive: boolean): Step {
  return (run) => {
    const first = attempt(left, run);
    if (first === decisive) return decisive;
    const second = attempt(right, run);
    if (second === decisive) return decisive;
    if (first === !decisive && second === !decisive) return !decisive;
    if (first instanceof Failure) throw first.error;
    if (second instanceof Failure) throw second.error;
    throw noSuchOverload();
  };
}

function conditional(test: Step, yes: Step, no: Step): Step {
  return (run) => {
    const value = test(run);
    if (typeof value !== 'boolean') throw noSuchOverload();
    return value ? yes(run) : no(run);
  };
}

/** Errors do not end a loop early: a later element may still decide. */
function notStrictlyFalse(step: Step): Step {
  return (run) => {
    run.charge(1);
    return attempt(step, run) !== false;
  };
}

function optionalOr(left: Step, right: Step, unwrap: boolean): Step {
  return (run) => {
    const value = left(run);
    if (!(value instanceof Optional)) throw noSuchOverload();
    if (value.value === undefined) return right(run);
    return unwrap ? value.value : value;
  };
}

function unwrap(value: Value): Value | undefined {
  if (!(value instanceof Optional)) throw noSuchOverload();
  return value.value;
}

function getField(value: Value, field: string): Value {
  if (!(value instanceof MapValue)) throw noSuchOverload();
  const found = value.find(field);
  if (found === undefined) throw new EvaluationError(`no such key: ${field}`);
  return found;
}

function hasField(value: Value, field: string): boolean {
  if (value instanceof Optional) return value.value !== undefined && hasField(value.value, field);
  if (!(value instanceof MapValue)) throw noSuchOverload();
  return value.find(field) !== undefined;
}

function selectOptional({ value }: Optional, field: string): Value {
  if (value === undefined) return new Optional();
  if (!(value instanceof MapValue)) throw noSuchOverload();
  const found = value.find(field);
  return found === undefined ? new Optional() : new Optional(found);
}

const formatKey = (key: Value): string => (key instanceof Uint ? String(key.value) : String(key as string));
