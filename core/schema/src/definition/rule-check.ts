import { type FieldError, type FieldPath, forbidden, invalid, notSupported, required } from '@tektite/meta';
import type { CompiledRule } from '../cel/rule.ts';
import { followPath } from '../cel/rule-path.ts';
import type { JsonSchema, ValidationRule } from '../structural-schema.ts';
import { append } from './append.ts';
import { internalRule } from './internal-form.ts';
import type { RawSchema } from './raw-schema.ts';

/** The most one rule may cost by estimate. */
const ruleLimit = 10_000_000;
/** The most all rules of a schema may cost by estimate. */
const schemaLimit = 100_000_000;

const reasons = ['FieldValueDuplicate', 'FieldValueForbidden', 'FieldValueInvalid', 'FieldValueRequired'];

/** Validates a rule before its expressions are compiled. */
export function checkRuleText(rule: ValidationRule, schema: RawSchema, path: FieldPath): FieldError[] {
  const errors: FieldError[] = [];
  const [text, message] = [(rule.rule ?? '').trim(), (rule.message ?? '').trim()];
  if (text === '') errors.push(required(path.child('rule'), 'rule is not specified'));
  else if (rule.message && message === '')
    errors.push(invalid(path.child('message'), rule.message, 'must be non-empty if specified'));
  else if (hasLineBreak(message))
    errors.push(invalid(path.child('message'), rule.message, 'must not contain line breaks'));
  else if (hasLineBreak(text) && message === '')
    errors.push(required(path.child('message'), 'message must be specified if rule contains line breaks'));
  if (rule.messageExpression && rule.messageExpression.trim() === '')
    errors.push(required(path.child('messageExpression'), 'messageExpression must be non-empty if specified'));
  if (rule.reason !== undefined && !reasons.includes(rule.reason))
    errors.push(notSupported(path.child('reason'), rule.reason, reasons));
  if (rule.fieldPath) append(errors, checkFieldPath(rule.fieldPath, schema, path.child('fieldPath')));
  return errors;
}

const hasLineBreak = (text: string): boolean => /[\n\r]/.test(text);

function checkFieldPath(fieldPath: string, schema: RawSchema, path: FieldPath): FieldError[] {
  const errors: FieldError[] = [];
  if (fieldPath.trim() === '') errors.push(invalid(path, fieldPath, 'must be non-empty if specified'));
  if (hasLineBreak(fieldPath)) errors.push(invalid(path, fieldPath, 'must not contain line breaks'));
  if (typeof followPath(fieldPath, schema as JsonSchema) === 'string')
    errors.push(invalid(path, fieldPath, 'must be a valid path'));
  return errors;
}

/** Adds up what the rules of a schema may cost, and remembers the most expensive. */
export class CostAccount {
  private total = 0;
  private expensive: { path: FieldPath; cost: number }[] = [];

  observe(path: FieldPath, cost: number): void {
    this.total += cost;
    if (cost < schemaLimit / 100) return;
    this.expensive = [...this.expensive, { path, cost }].sort((a, b) => b.cost - a.cost).slice(0, 4);
  }

  /** The errors of a schema whose rules cost too much together. */
  errors(path: FieldPath): FieldError[] {
    if (this.total <= schemaLimit) return [];
    const detail = 'contributed to estimated rule cost total exceeding cost limit for entire OpenAPIv3 schema';
    const name = 'x-kubernetes-validations estimated rule cost total for entire OpenAPIv3 schema';
    return [
      ...this.expensive.map((each) => forbidden(each.path, detail)),
      forbidden(path, costMessage(name, this.total, schemaLimit)),
    ];
  }
}

export interface RuleCheckContext {
  readonly account: CostAccount;
  /** How many values of the schema there can be; `undefined` when nothing limits them. */
  readonly cardinality: number | undefined;
  /** The outermost schema around it whose old and new values cannot be matched, if there is one. */
  readonly uncorrelatable: FieldPath | undefined;
  readonly suppressCost: boolean;
}

/** Validates a compiled rule: its expressions, its cost, its use of `oldSelf`. */
export function checkCompiledRule(compiled: CompiledRule, path: FieldPath, context: RuleCheckContext): FieldError[] {
  const { rule } = compiled;
  const errors: FieldError[] = [];
  const cost = compiled.maxCost * (context.cardinality ?? compiled.maxCardinality);
  if (!context.suppressCost && cost > ruleLimit)
    errors.push(forbidden(path.child('rule'), costMessage('estimated rule cost', cost, ruleLimit)));
  context.account.observe(path.child('rule'), cost);
  if (compiled.error !== undefined) errors.push(invalid(path.child('rule'), internalRule(rule), compiled.error));
  if (compiled.messageError !== undefined)
    errors.push(invalid(path.child('messageExpression'), internalRule(rule), compiled.messageError));
  else if (compiled.messageProgram) {
    const at = path.child('messageExpression');
    if (!context.suppressCost && compiled.messageMaxCost > ruleLimit)
      errors.push(forbidden(at, costMessage('estimated messageExpression cost', compiled.messageMaxCost, ruleLimit)));
    context.account.observe(at, compiled.messageMaxCost);
  }
  if (compiled.usesOldSelf) {
    const detail = `oldSelf cannot be used on the uncorrelatable portion of the schema within ${context.uncorrelatable?.toString()}`;
    if (context.uncorrelatable) errors.push(invalid(path.child('rule'), rule.rule, detail));
  } else if (rule.optionalOldSelf !== undefined)
    errors.push(
      invalid(path.child('optionalOldSelf'), rule.optionalOldSelf, 'may not be set if oldSelf is not used in rule'),
    );
  return errors;
}

function costMessage(name: string, cost: number, limit: number): string {
  const times = cost / limit;
  const factor = times > 100 ? 'more than 100x' : times < 1.5 ? `${times.toFixed(6)}x` : `${times.toFixed(1)}x`;
  return `${name} exceeds budget by factor of ${factor} (try simplifying the rule, or adding maxItems, maxProperties, and maxLength where arrays, maps, and strings are declared)`;
}
