import { perCallLimit, type Value } from '@tektite/schema';
import type { CompiledExpression } from '../../registry/kinds/admissionregistration/admission-environment.ts';

/** The variables of expressions, by name. */
export type Variables = (name: string) => Value | undefined;

/** The result of an expression: a value, or the error message. */
export interface Evaluated {
  readonly value?: Value;
  readonly error?: string;
}

/** The expressions of one review together cost more than they may. */
export class BudgetExceededError extends Error {
  override readonly name = 'BudgetExceededError';
  constructor() {
    super('validation failed due to running out of cost budget, no further validation rules will be run');
  }
}

/** The remaining cost budget of one review. */
export class CostBudget {
  private left: number;

  constructor(budget: number) {
    this.left = budget;
  }

  spend(cost: number): void {
    this.left -= cost;
    if (this.left < 0) throw new BudgetExceededError();
  }
}

/** Runs an expression. Throws a {@link BudgetExceededError} when the budget is used up. */
export function evaluate(expression: CompiledExpression, variables: Variables, budget: CostBudget): Evaluated {
  if (!expression.program) return { error: `compilation error: ${expression.error}` };
  const { value, error, cost } = expression.program.run(variables, perCallLimit);
  budget.spend(cost);
  if (error) return { error: `expression '${expression.text}' resulted in error: ${error.message}` };
  return value === undefined ? {} : { value };
}
