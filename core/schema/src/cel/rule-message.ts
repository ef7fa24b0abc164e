import { type FieldError, type FieldPath, forbidden, formatBadValue, required, utf8Length } from '@tektite/meta';
import type { JsonSchema, ValidationRule } from '../structural-schema.ts';
import { EvaluationError } from './language/evaluation.ts';
import type { CompiledRule } from './rule.ts';
import type { RuleVariables } from './rule-variables.ts';

/** The most one evaluation of a rule may cost. */
export const perCallLimit = 1_000_000;
const maxMessageLength = 5 * 1024;

/** A rule in a message: by its own message, or else as it is written. */
export const ruleWords = (rule: ValidationRule): string => (rule.message ? rule.message : rule.rule).trim();

export interface RuleMessage {
  readonly text?: string;
  readonly cost: number;
  /** Why no rule can be checked any more. */
  readonly failure?: string;
}

/** The message an expression makes; without text when it makes none that can be used. */
export function evaluateMessage(
  { messageProgram, rule }: CompiledRule,
  variables: RuleVariables,
  budget: number,
): RuleMessage {
  if (!messageProgram) return { cost: 0 };
  const { value, error, cost } = messageProgram.run(variables.lookup(rule.optionalOldSelf === true), perCallLimit);
  if (cost > budget)
    return {
      cost,
      failure:
        'messageExpression evaluation failed due to running out of cost budget, no further validation rules will be run',
    };
  if (error && !(error instanceof EvaluationError)) {
    const source = JSON.stringify(rule.messageExpression);
    return {
      cost,
      failure: `no further validation rules will be run due to call cost exceeds limit for messageExpression: ${source}`,
    };
  }
  if (typeof value !== 'string') return { cost };
  const text = value.trim();
  return text === '' || text.includes('\n') || utf8Length(text) > maxMessageLength ? { cost } : { cost, text };
}

/** The error of a rule that is not true. Objects and lists are not printed. */
export function ruleError(
  rule: ValidationRule,
  path: FieldPath | string,
  { type }: JsonSchema,
  value: unknown,
  detail: string,
): FieldError {
  const shown = type === 'object' || type === 'array' ? '' : `: ${formatBadValue(value)}`;
  switch (rule.reason) {
    case 'FieldValueForbidden':
      return forbidden(path, detail);
    case 'FieldValueRequired':
      return required(path, detail);
    case 'FieldValueDuplicate':
      return { reason: 'FieldValueDuplicate', field: path.toString(), message: `Duplicate value${shown}` };
    default:
      return { reason: 'FieldValueInvalid', field: path.toString(), message: `Invalid value${shown}: ${detail}` };
  }
}
