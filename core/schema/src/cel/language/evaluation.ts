import { defineErrors } from '@tektite/meta';
import type { Value } from './value.ts';

export const evaluationErrors = defineErrors('schema', 'EvaluationError', {
  EVALUATION_FAILED: {
    when: 'a CEL expression could not be evaluated: division by zero, a missing key',
    fix: 'correct the expression, or guard the field with has()',
  },
  COST_EXCEEDED: {
    when: 'the evaluation of a CEL expression used up its budget',
    fix: 'shorten the expression, or limit the size of the lists and maps that it goes through',
  },
});

/** An expression that could not be evaluated: division by zero, a missing key. `&&` and `||` may absorb it. */
export class EvaluationError extends evaluationErrors.Error {
  constructor(message: string, options?: ErrorOptions) {
    super('EVALUATION_FAILED', message, options);
  }
}

/** Whether `error` is an EvaluationError. */
export function isEvaluationError(error: unknown): error is EvaluationError {
  return evaluationErrors.is(error, 'EVALUATION_FAILED');
}

/** An evaluation that used up its budget. Nothing absorbs it. */
export class CostExceededError extends evaluationErrors.Error {
  override readonly name = 'CostExceededError';
  constructor() {
    super('COST_EXCEEDED', 'operation cancelled: actual cost limit exceeded');
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
