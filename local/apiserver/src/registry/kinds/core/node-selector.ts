import {
  type FieldError,
  type FieldPath,
  invalid,
  validateLabelValue,
  nameIsDnsSubdomain,
  required,
  forbidden,
  validateQualifiedName,
} from '@tektite/meta';
import type { NodeSelector, NodeSelectorRequirement, NodeSelectorTerm } from '@tektite/schema/kubernetes';
import { checkText } from '../field-checks.ts';

/** Which nodes a Pod or a volume wants. `strict`: values must be label values; preferences need not have such. */
export function validateNodeSelector(
  selector: NodeSelector,
  strict: boolean,
  path: FieldPath,
  errors: FieldError[],
): void {
  const terms = selector.nodeSelectorTerms ?? [];
  const termsPath = path.child('nodeSelectorTerms');
  if (terms.length === 0) errors.push(required(termsPath, 'must have at least one node selector term'));
  for (const [i, term] of terms.entries()) validateNodeSelectorTerm(term, strict, termsPath.index(i), errors);
}

export function validateNodeSelectorTerm(
  term: NodeSelectorTerm,
  strict: boolean,
  path: FieldPath,
  errors: FieldError[],
): void {
  for (const [i, requirement] of (term.matchExpressions ?? []).entries())
    validateExpression(requirement, strict, path.child('matchExpressions').index(i), errors);
  for (const [i, requirement] of (term.matchFields ?? []).entries())
    validateField(requirement, path.child('matchFields').index(i), errors);
}

function validateExpression(
  { key = '', operator = '', values = [] }: NodeSelectorRequirement,
  strict: boolean,
  path: FieldPath,
  errors: FieldError[],
): void {
  const valuesPath = path.child('values');
  if (operator === 'In' || operator === 'NotIn') {
    if (values.length === 0) errors.push(required(valuesPath, "must be specified when `operator` is 'In' or 'NotIn'"));
  } else if (operator === 'Exists' || operator === 'DoesNotExist') {
    if (values.length > 0)
      errors.push(forbidden(valuesPath, "may not be specified when `operator` is 'Exists' or 'DoesNotExist'"));
  } else if (operator === 'Gt' || operator === 'Lt') {
    if (values.length !== 1)
      errors.push(required(valuesPath, "must be specified single value when `operator` is 'Lt' or 'Gt'"));
  } else errors.push(invalid(path.child('operator'), operator, 'not a valid selector operator'));
  checkText(key, validateQualifiedName, path.child('key'), errors);
  if (strict)
    for (const [i, value] of values.entries()) checkText(value, validateLabelValue, valuesPath.index(i), errors);
}

/** Only the name of a node can be selected by field. */
function validateField(
  { key = '', operator = '', values = [] }: NodeSelectorRequirement,
  path: FieldPath,
  errors: FieldError[],
): void {
  if (operator !== 'In' && operator !== 'NotIn')
    errors.push(invalid(path.child('operator'), operator, 'not a valid selector operator'));
  else if (values.length !== 1) {
    const detail = "must be only one value when `operator` is 'In' or 'NotIn' for node field selector";
    errors.push(required(path.child('values'), detail));
  }
  if (key !== 'metadata.name') errors.push(invalid(path.child('key'), key, 'not a valid field selector key'));
  else
    for (const [i, value] of values.entries())
      checkText(value, (name) => nameIsDnsSubdomain(name, false), path.child('values').index(i), errors);
}
