import type { Value } from './value.ts';

/** An expression that could not be evaluated: division by zero, a missing key. `&&` and `||` may absorb it. */
export class EvaluationError extends Error {
  override readonly name = 'EvaluationError';
}

/** An evaluation that used up its budget. Nothing absorbs it. */
export class CostExceededError extends Error {
  override readonly name = 'CostExceededError';
  constructor() {
    super('operation cancelled: actual cost limit exceeded');
  }
}

/** No overload of a function takes these arguments. */
export function noSuchOverload(): EvaluationError {
  return new EvaluationError('no such overload');
}

/** An error kept in the accumulator of a loop: a later element may make it meaningless. */
export class Failure {
  readonly error: EvaluationError;
  constructor(error: EvaluationError) {
    this.error = error;
  }
}

/** One run of a program: its variables and what it has cost so far. */
export class Evaluation {
  cost = 0;
  /** Variables of loops, by slot. */
  readonly locals: (Value | Failure)[] = [];
  private readonly variables: (name: string) => Value | undefined;
  private readonly limit: number;

  constructor(variables: (name: string) => Value | undefined, limit: number) {
    this.variables = variables;
    this.limit = limit;
  }

  charge(cost: number): void {
    this.cost += cost;
    if (this.cost > this.limit) throw new CostExceededError();
  }

  local(slot: number): Value {
    const value = this.locals[slot] as Value | Failure;
    if (value instanceof Failure) throw value.error;
    return value;
  }

  variable(name: string): Value {
    const value = this.variables(name);
    if (value === undefined) throw new EvaluationError(`no such attribute(s): ${name}`);
    return value;
  }
}
