import { costBudget, type Value } from '@tektite/schema';
import { BudgetExceededError, CostBudget, evaluate, type Variables } from '../expression/evaluate.ts';
import { conditionsHold } from '../expression/match-conditions.ts';
import { LazyVariables } from './composed-variables.ts';
import type { CompiledPolicy, CompiledValidation } from './validating-policy.ts';

/** A rule that a request breaks, or that could not be asked. */
export interface PolicyViolation {
  readonly message: string;
  /** Empty for what could not be asked. */
  readonly reason: string;
}

const maxMessageBytes = 5 * 1024;

/** Evaluates a policy for one request and one set of parameters. What fails to evaluate counts as the failure policy says. */
export function evaluatePolicy(policy: CompiledPolicy, lookup: Variables): PolicyViolation[] {
  const budget = new CostBudget(costBudget);
  try {
    return evaluateRules(policy, withVariables(policy, lookup, budget), budget);
  } catch (error) {
    if (!(error instanceof BudgetExceededError)) throw error;
    return policy.ignoresFailure ? [] : [{ message: error.message, reason: '' }];
  }
}

function withVariables({ rules }: CompiledPolicy, lookup: Variables, budget: CostBudget): Variables {
  let variables: Value | undefined;
  const extended: Variables = (name) => {
    if (name !== 'variables') return lookup(name);
    return (variables ??= new LazyVariables(rules.variables, extended, budget));
  };
  return extended;
}

function evaluateRules(policy: CompiledPolicy, lookup: Variables, budget: CostBudget): PolicyViolation[] {
  const { conditions, validations, annotations } = policy.rules;
  const failed = (message: string): PolicyViolation[] => (policy.ignoresFailure ? [] : [{ message, reason: '' }]);
  if (conditions.length > 0) {
    const result = conditionsHold(conditions, lookup);
    if (result.matches === undefined) return failed(result.error);
    if (!result.matches) return [];
  }
  const violations = validations.flatMap((validation) => {
    const { value, error } = evaluate(validation.expression, lookup, budget);
    if (error !== undefined) return failed(error);
    if (value === true) return [];
    return [{ message: messageOf(validation, lookup, budget), reason: validation.rule.reason ?? 'Invalid' }];
  });
  // There is no audit log, but an annotation that fails to evaluate is a failure of the policy all the same.
  const broken = annotations.flatMap((annotation) => {
    const { error } = evaluate(annotation, lookup, budget);
    return error === undefined ? [] : failed(error);
  });
  return [...violations, ...broken];
}

/** The message of a rule: what its expression says, else what is written in it, else the rule itself. */
function messageOf({ rule, message }: CompiledValidation, lookup: Variables, budget: CostBudget): string {
  const value = message && evaluate(message, lookup, budget).value;
  const text = typeof value === 'string' ? value.trim() : '';
  if (text !== '' && !text.includes('\n') && Buffer.byteLength(text) <= maxMessageBytes) return text;
  return rule.message?.trim() || `failed expression: ${rule.expression.trim()}`;
}
