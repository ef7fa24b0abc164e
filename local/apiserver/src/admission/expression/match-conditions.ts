import { boolType } from '@tektite/schema';
import type { MatchCondition } from '@tektite/schema/kubernetes';
import {
  admissionEnvironment,
  type CompiledExpression,
  compileExpression,
} from '../../registry/kinds/admissionregistration/admission-environment.ts';
import { joinErrors } from '../join-errors.ts';
import { BudgetExceededError, CostBudget, evaluate, type Variables } from './evaluate.ts';

/** The cost budget of the conditions of one webhook or policy. */
const conditionBudget = 2_500_000;

/** Whether conditions hold, or the error that prevents the evaluation. */
export type ConditionsResult = { readonly matches: boolean } | { readonly matches?: undefined; readonly error: string };

/** Conditions, compiled once. */
export type CompiledConditions = readonly CompiledExpression[];

const environments = new Map<boolean, ReturnType<typeof admissionEnvironment>>();

function environment(hasParams: boolean): ReturnType<typeof admissionEnvironment> {
  let found = environments.get(hasParams);
  if (!found) environments.set(hasParams, (found = admissionEnvironment({ hasParams, hasAuthorizer: true })));
  return found;
}

export function compileConditions(conditions: readonly MatchCondition[] = [], hasParams = false): CompiledConditions {
  return conditions.map(({ expression }) => compileExpression(environment(hasParams), expression, [boolType]));
}

/** A condition that is false decides alone, even if others cannot be evaluated. */
export function conditionsHold(conditions: CompiledConditions, variables: Variables): ConditionsResult {
  const budget = new CostBudget(conditionBudget);
  const errors: string[] = [];
  try {
    // All of them are run before any counts, so a budget that runs out is not hidden by a condition that is false.
    const results = conditions.map((condition) => evaluate(condition, variables, budget));
    for (const { value, error } of results) {
      if (error !== undefined) errors.push(error);
      else if (value === false) return { matches: false };
    }
  } catch (error) {
    if (error instanceof BudgetExceededError) return { error: error.message };
    throw error;
  }
  return errors.length === 0 ? { matches: true } : { error: joinErrors(errors) };
}
