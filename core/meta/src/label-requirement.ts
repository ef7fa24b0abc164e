import { defineErrors } from './define-errors.ts';
import { type FieldError, formatFieldErrors, invalid, notSupported } from './field-error.ts';
import { FieldPath } from './field-path.ts';
import { validateLabelValue, validateQualifiedName } from './names.ts';

const binaryOperators = ['in', 'notin', '=', '==', '!=', 'gt', 'lt'] as const;
const operators = [...binaryOperators, 'exists', '!'] as const;

/** How a requirement relates a label to its values; spelled as in messages. */
export type LabelOperator = (typeof operators)[number];

/** The operators that stand between a key and a value, for messages. */
export const binaryOperatorList: string = binaryOperators.join(', ');

/** One condition of a selector. */
export interface LabelRequirement {
  readonly key: string;
  readonly operator: LabelOperator;
  readonly values: readonly string[];
}

export const selectorErrors = defineErrors('meta', 'SelectorError', {
  INVALID_SELECTOR: {
    when: 'a selector does not parse, or asks for labels that cannot exist',
    fix: 'correct the selector; the message names the part',
  },
});

/** A selector that does not parse, or asks for labels that cannot exist. The message is Kubernetes' own. */
export class SelectorError extends selectorErrors.Error {
  constructor(message: string, options?: ErrorOptions) {
    super('INVALID_SELECTOR', message, options);
  }
}

/** Whether `error` is a SelectorError. */
export function isSelectorError(error: unknown): error is SelectorError {
  return selectorErrors.is(error);
}

/** Checks key, operator and values; throws a {@link SelectorError} that lists every violation. */
export function labelRequirement(
  key: string,
  operator: LabelOperator,
  values: readonly string[] | undefined,
): LabelRequirement {
  const errors = [...keyErrors(key, 'key'), ...countErrors(operator, values), ...valueErrors(key, values ?? [])];
  if (errors.length > 0) throw new SelectorError(formatFieldErrors(errors));
  return { key, operator, values: values ?? [] };
}

/** Without a path, upstream prints `<nil>` in its place. */
export function keyErrors(key: string, path = '<nil>'): FieldError[] {
  const violations = validateQualifiedName(key);
  return violations.length === 0 ? [] : [invalid(path, key, violations.join('; '))];
}

function countErrors(operator: LabelOperator, values: readonly string[] | undefined): FieldError[] {
  const path = FieldPath.of('values');
  const count = values?.length ?? 0;
  switch (operator) {
    case 'in':
    case 'notin':
      return count === 0 ? [invalid(path, values, "for 'in', 'notin' operators, values set can't be empty")] : [];
    case '=':
    case '==':
    case '!=':
      return count === 1 ? [] : [invalid(path, values, 'exact-match compatibility requires one single value')];
    case 'exists':
    case '!':
      return count === 0 ? [] : [invalid(path, values, 'values set must be empty for exists and does not exist')];
    case 'gt':
    case 'lt': {
      const errors =
        count === 1 ? [] : [invalid(path, values, "for 'Gt', 'Lt' operators, exactly one value is required")];
      values?.forEach((value, index) => {
        if (parseInt64(value) === undefined)
          errors.push(invalid(path.index(index), value, "for 'Gt', 'Lt' operators, the value must be an integer"));
      });
      return errors;
    }
    default:
      return [notSupported('operator', operator, operators)];
  }
}

function valueErrors(key: string, values: readonly string[]): FieldError[] {
  return values.flatMap((value, index) => {
    const violations = validateLabelValue(value);
    const path = FieldPath.of('values').index(index).key(key);
    return violations.length === 0 ? [] : [invalid(path, value, violations.join('; '))];
  });
}

const int64Limit = 2n ** 63n;

/** A decimal int64, or `undefined`. */
export function parseInt64(text: string): bigint | undefined {
  if (!/^[+-]?[0-9]{1,4096}$/.test(text)) return undefined;
  const value = text.startsWith('+') ? BigInt(text.slice(1)) : BigInt(text);
  return value >= -int64Limit && value < int64Limit ? value : undefined;
}

/** Whether labels satisfy the requirement. A label that is absent satisfies only `notin`, `!=` and `!`. */
export function matchesRequirement(
  { key, operator, values }: LabelRequirement,
  labels: Readonly<Record<string, string>>,
): boolean {
  const value = Object.hasOwn(labels, key) ? labels[key] : undefined;
  switch (operator) {
    case 'exists':
      return value !== undefined;
    case '!':
      return value === undefined;
    case 'in':
    case '=':
    case '==':
      return value !== undefined && values.includes(value);
    case 'notin':
    case '!=':
      return value === undefined || !values.includes(value);
    case 'gt':
    case 'lt': {
      const left = value === undefined ? undefined : parseInt64(value);
      const right = parseInt64(values[0] ?? '');
      if (left === undefined || right === undefined) return false;
      return operator === 'gt' ? left > right : left < right;
    }
  }
}

const symbols: Partial<Record<LabelOperator, string>> = { gt: '>', lt: '<' };

/** The requirement as it would be typed; several values are sorted. */
export function formatRequirement({ key, operator, values }: LabelRequirement): string {
  if (operator === 'exists') return key;
  if (operator === '!') return `!${key}`;
  const list = values.length === 1 ? values[0] : [...values].sort().join(',');
  if (operator === 'in' || operator === 'notin') return `${key} ${operator} (${list})`;
  return `${key}${symbols[operator] ?? operator}${list}`;
}
