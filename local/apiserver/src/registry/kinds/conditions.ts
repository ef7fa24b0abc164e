import {
  duplicate,
  type FieldError,
  type FieldPath,
  invalid,
  validateQualifiedName,
  notSupported,
  regexError,
  required,
  tooLong,
  utf8Length,
} from '@tektite/meta';
import type { Condition } from '@tektite/schema/kubernetes';
import { checkText } from './field-checks.ts';

const maxReasonLength = 1024;
const maxMessageLength = 32 * 1024;
const reasonPattern = '[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?';

/** Conditions of a status, of the form that newer kinds share. */
export function validateConditions(
  conditions: readonly Partial<Condition>[] | undefined,
  path: FieldPath,
  errors: FieldError[],
): void {
  const seen = new Set<string>();
  for (const [i, condition] of (conditions ?? []).entries()) {
    const { type = '' } = condition;
    if (seen.has(type)) errors.push(duplicate(path.index(i).child('type'), type));
    seen.add(type);
    validateCondition(condition, path.index(i), errors);
  }
}

function validateCondition(condition: Partial<Condition>, path: FieldPath, errors: FieldError[]): void {
  const { type = '', status = '', observedGeneration = 0, lastTransitionTime, reason = '', message = '' } = condition;
  checkText(type, validateQualifiedName, path.child('type'), errors);
  if (!['True', 'False', 'Unknown'].includes(status))
    errors.push(notSupported(path.child('status'), status, ['False', 'True', 'Unknown']));
  if (observedGeneration < 0)
    errors.push(invalid(path.child('observedGeneration'), observedGeneration, 'must be greater than or equal to zero'));
  if (!lastTransitionTime) errors.push(required(path.child('lastTransitionTime')));
  if (reason === '') errors.push(required(path.child('reason')));
  else {
    if (!new RegExp(`^${reasonPattern}$`).test(reason))
      errors.push(
        invalid(
          path.child('reason'),
          reason,
          regexError(
            "a condition reason must start with alphabetic character, optionally followed by a string of alphanumeric characters or '_,:', and must end with an alphanumeric character or '_'",
            reasonPattern,
            'my_name',
            'MY_NAME',
            'MyName',
            'ReasonA,ReasonB',
            'ReasonA:ReasonB',
          ),
        ),
      );
    if (utf8Length(reason) > maxReasonLength) errors.push(tooLong(path.child('reason'), maxReasonLength));
  }
  if (utf8Length(message) > maxMessageLength) errors.push(tooLong(path.child('message'), maxMessageLength));
}
