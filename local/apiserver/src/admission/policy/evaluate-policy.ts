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
  /** The place of the broken rule; 0 where it is none. */
  readonly index: number;
}

/** The result of a policy: the rules that are broken, and the annotations for the audit event, by key. */
export interface PolicyResult {
  readonly violations: readonly PolicyViolation[];
  readonly denials: readonly PolicyViolation[];
  readonly annotations: readonly (readonly [key: string, value: string])[];
}

const nothing: PolicyResult = { violations: [], denials: [], annotations: [] };
const maxAnnotationBytes = 10 * 1024;
const maxMessageBytes = 5 * 1024;

/** Evaluates a policy for one request and one set of parameters. What fails to evaluate counts as the failure policy says. */
export function evaluatePolicy(policy: CompiledPolicy, lookup: Variables): PolicyResult {
  const budget = new CostBudget(costBudget);
  try {
    return evaluateRules(policy, withVariables(policy, lookup, budget), budget);
  } catch (error) {
    if (!(error instanceof BudgetExceededError)) throw error;
    return policy.ignoresFailure
      ? nothing
      : { ...nothing, violations: [{ message: error.message, reason: '', index: 0 }] };
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

function evaluateRules(policy: CompiledPolicy, lookup: Variables, budget: CostBudget): PolicyResult {
  const { conditions, validations, annotations } = policy.rules;
  const failed = (message: string, index = 0): PolicyViolation[] =>
    policy.ignoresFailure ? [] : [{ message, reason: '', index }];
  if (conditions.length > 0) {
    const result = conditionsHold(conditions, lookup);
    if (result.matches === undefined) return { ...nothing, violations: failed(result.error) };
    if (!result.matches) return nothing;
  }
  const violations = validations.flatMap((validation, index) => {
    const { value, error } = evaluate(validation.expression, lookup, budget);
    if (error !== undefined) return failed(error, index);
    if (value === true) return [];
    return [{ message: messageOf(validation, lookup, budget), reason: validation.rule.reason ?? 'Invalid', index }];
  });
  // An annotation that fails to evaluate denies the request, whatever the binding says; audited or not.
  const denials: PolicyViolation[] = [];
  const annotated: [string, string][] = [];
  for (const { key, expression } of annotations) {
    const { value, error } = evaluate(expression, lookup, budget);
    if (error !== undefined) denials.push(...failed(error));
    else if (typeof value === 'string' && value.trim() !== '') annotated.push([key, cut(value.trim())]);
  }
  return { violations, denials, annotations: annotated };
}

function cut(value: string): string {
  return Buffer.byteLength(value) <= maxAnnotationBytes
    ? value
    : Buffer.from(value).subarray(0, maxAnnotationBytes).toString('utf8');
}

/** The message of a rule: what its expression says, else what is written in it, else the rule itself. */
function messageOf({ rule, message }: CompiledValidation, lookup: Variables, budget: CostBudget): string {
  const value = message && evaluate(message, lookup, budget).value;
  const text = typeof value === 'string' ? value.trim() : '';
  if (text !== '' && !text.includes('\n') && Buffer.byteLength(text) <= maxMessageBytes) return text;
  return rule.message?.trim() || `failed expression: ${rule.expression.trim()}`;
}
