import { type FieldErrors, genericError, invalidValue, missingField } from '@tektite/controller/field-errors';
import { quoteGo } from '@tektite/meta';
import { celEnvironment } from '@tektite/schema';
import type { WhenExpression } from '../../kinds/when-expression.ts';
import { allErrors } from './all-errors.ts';
import type { Rules } from '../rules.ts';

const environment = celEnvironment({ isPlain: true });
const operators = ['in', 'notin'];

export function validateWhen(expressions: readonly WhenExpression[], rules: Rules): FieldErrors {
  return allErrors(
    expressions.map((expression, index) => validateExpression(expression, rules)?.viaFieldIndex('when', index)),
  );
}

function validateExpression(expression: WhenExpression, rules: Rules): FieldErrors | undefined {
  const { input = '', operator = '', values = [], cel = '' } = expression;
  if (cel !== '') return validateCel(expression, rules);
  if (input === '' && operator === '' && values.length === 0) return missingField('');
  if (!operators.includes(operator))
    return invalidValue(`operator ${quoteGo(operator)} is not recognized. valid operators: ${operators.join(',')}`, '');
  return values.length === 0 ? invalidValue('expecting non-empty values field', '') : undefined;
}

function validateCel(
  { input = '', operator = '', values = [], cel = '' }: WhenExpression,
  { flags }: Rules,
): FieldErrors | undefined {
  if (!flags.enableCELInWhenExpression) {
    const flag = 'enable-cel-in-whenexpression';
    return genericError(`feature flag ${flag} should be set to true to use CEL: ${cel} in WhenExpression`, '');
  }
  if (input !== '' || operator !== '' || values.length > 0) {
    const printed = `&{${input} ${operator} [${values.join(' ')}] ${cel}}`;
    return genericError(`cel and input+operator+values cannot be set in one WhenExpression: ${printed}`);
  }
  const { error: violation } = environment.compile(cel);
  // Upstream passes parts of the message as paths.
  return violation === undefined ? undefined : genericError('invalid cel expression: %s with err: %s', cel, violation);
}
