import {
  type FieldErrors,
  genericError,
  invalidValue,
  missingField,
  multipleOneOf,
  noFieldErrors,
} from '@tektite/controller/field-errors';
import { validateQualifiedName } from '@tektite/meta';
import type { StepActionRef } from '../../kinds/resolver-reference.ts';
import { gate, type Rules } from '../rules.ts';
import { validateUniqueNames } from './validate-names.ts';

/** How a Task, Pipeline or StepAction is named, or where it is to be fetched. */
export function validateRef(ref: StepActionRef, rules: Rules): FieldErrors {
  const { name = '', resolver = '', params } = ref;
  if (resolver !== '' || params !== undefined) return validateRemoteRef(ref, rules);
  if (name === '') return missingField('name');
  if (looksLikeUrl(name)) return noFieldErrors.also(conciseSyntax(rules), missingField('resolver'));
  const violations = validateQualifiedName(name);
  return violations.length > 0 ? invalidValue(violations.join(','), 'name') : noFieldErrors;
}

function validateRemoteRef({ name = '', resolver = '', params }: StepActionRef, rules: Rules): FieldErrors {
  let errors = noFieldErrors;
  if (params !== undefined)
    errors = errors.also(
      gate(rules, 'resolver params', 'beta'),
      name === '' ? undefined : multipleOneOf('name', 'params'),
      resolver === '' ? missingField('resolver') : undefined,
      validateUniqueNames(
        params.map((param) => param.name),
        'key',
      ),
    );
  if (resolver === '') return errors;
  errors = errors.also(gate(rules, 'resolver', 'beta'));
  if (name === '') return errors;
  return errors.also(looksLikeUrl(name) ? conciseSyntax(rules) : invalidValue('invalid URI for request', 'name'));
}

/** Whether the name of a reference is an address, which a resolver gets as such. */
export const looksLikeUrl = (name: string): boolean => /[0-9A-Za-z_-]:\//.test(name);

function conciseSyntax({ flags }: Rules): FieldErrors | undefined {
  if (flags.enableConciseResolverSyntax) return undefined;
  const flag = 'enable-concise-resolver-syntax';
  return genericError(`feature flag ${flag} should be set to true to use concise resolver syntax`, '');
}
