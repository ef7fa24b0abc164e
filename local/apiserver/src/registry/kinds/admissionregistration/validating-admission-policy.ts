import {
  duplicate,
  equalJson,
  type FieldError,
  FieldPath,
  invalid,
  validateQualifiedName,
  notSupported,
  required,
  utf8Length,
} from '@tektite/meta';
import type { CelType } from '@tektite/schema';
import type {
  AuditAnnotation,
  ValidatingAdmissionPolicy,
  ValidatingAdmissionPolicySpec,
  Validation,
} from '@tektite/schema/kubernetes';
import type { KindStrategy } from '../../kind-strategy.ts';
import { validateConditions } from '../conditions.ts';
import { checkText } from '../field-checks.ts';
import { keepStatus, resetStatus } from '../prepare.ts';
import { ageOf, nameOf } from '../table/cells.ts';
import { validatingAdmissionPolicyColumns } from './columns.ts';
import { checkExpression, type ExpressionScope, text, textOrNothing, yesOrNo } from './expressions.ts';
import { paramKindCell, validateComposition, validateConstraints } from './policy-spec.ts';
import { defaultMatchResources, staticNameWarnings } from './rules.ts';

const maxAnnotations = 20;
const maxValueExpressionLength = 5 * 1024;
const reasons = ['Forbidden', 'Invalid', 'RequestEntityTooLarge'];
const noSpec: ValidatingAdmissionPolicySpec = {};

function validatePolicy(policy: ValidatingAdmissionPolicy, old?: ValidatingAdmissionPolicy): FieldError[] {
  const errors: FieldError[] = [];
  const path = FieldPath.of('spec');
  const spec = policy.spec ?? noSpec;
  const conditions = ({ paramKind, matchConditions }: ValidatingAdmissionPolicySpec) => [paramKind, matchConditions];
  const sameConditions = old !== undefined && equalJson(conditions(spec), conditions(old.spec ?? noSpec));
  validateConstraints(spec, path, errors);
  const types = validateComposition(spec, sameConditions, path, errors);
  const scope = scopeOf(spec, types);
  const { validations = [], auditAnnotations = [] } = spec;
  if (validations.length + auditAnnotations.length === 0) {
    const detail = 'validations or auditAnnotations must contain at least one item';
    errors.push(required(path.child('validations'), detail), required(path.child('auditAnnotations'), detail));
    return errors;
  }
  for (const [i, validation] of validations.entries())
    validateValidation(validation, scope, path.child('validations').index(i), errors);
  validateAnnotations(nameOf(policy), auditAnnotations, scope, path.child('auditAnnotations'), errors);
  return errors;
}

function scopeOf(spec: ValidatingAdmissionPolicySpec, types: ReadonlyMap<string, CelType>): ExpressionScope {
  return {
    params: spec.paramKind !== undefined,
    authorizer: true,
    ...(spec.variables?.length ? { variables: types } : {}),
  };
}

function validateValidation(validation: Validation, scope: ExpressionScope, path: FieldPath, errors: FieldError[]) {
  const { expression = '', message = '', messageExpression = '', reason } = validation;
  if (expression.trim() === '') errors.push(required(path.child('expression'), 'expression is not specified'));
  else checkExpression(expression, scope, yesOrNo, path.child('expression'), errors);
  const messagePath = path.child('messageExpression');
  if (messageExpression !== '' && messageExpression.trim() === '')
    errors.push(invalid(messagePath, messageExpression, 'must be non-empty if specified'));
  else if (messageExpression !== '')
    checkExpression(messageExpression, { ...scope, authorizer: false }, text, messagePath, errors);
  if (message !== '' && message.trim() === '')
    errors.push(invalid(path.child('message'), message, 'must be non-empty if specified'));
  else if (/[\n\r]/.test(message.trim()))
    errors.push(invalid(path.child('message'), message, 'must not contain line breaks'));
  if (reason !== undefined && !reasons.includes(reason))
    errors.push(notSupported(path.child('reason'), reason, reasons));
}

function validateAnnotations(
  policyName: string,
  annotations: readonly AuditAnnotation[],
  scope: ExpressionScope,
  path: FieldPath,
  errors: FieldError[],
): void {
  if (annotations.length > maxAnnotations)
    errors.push(
      invalid(
        path,
        annotations.map(({ key, valueExpression }) => ({ Key: key ?? '', ValueExpression: valueExpression ?? '' })),
        `must not have more than ${maxAnnotations} auditAnnotations`,
      ),
    );
  const keys = new Set<string>();
  for (const [i, { key = '', valueExpression = '' }] of annotations.entries()) {
    const at = path.index(i);
    if (policyName === '') errors.push(invalid(at.child('key'), key, 'requires metadata.name be non-empty'));
    else checkText(`${policyName}/${key}`, validateQualifiedName, at.child('key'), errors);
    const trimmed = valueExpression.trim();
    const valuePath = at.child('valueExpression');
    if (trimmed === '') errors.push(required(valuePath, 'valueExpression is not specified'));
    else if (utf8Length(trimmed) > maxValueExpressionLength)
      errors.push(required(valuePath, `must not exceed ${maxValueExpressionLength} bytes in length`));
    else checkExpression(trimmed, scope, textOrNothing, valuePath, errors, valueExpression);
    if (keys.has(key)) errors.push(duplicate(at.child('key'), key));
    keys.add(key);
  }
}

function validateStatus({ status }: ValidatingAdmissionPolicy): FieldError[] {
  const errors: FieldError[] = [];
  const path = FieldPath.of('status');
  for (const [i, { warning, fieldRef }] of (status?.typeChecking?.expressionWarnings ?? []).entries()) {
    const at = path.child('typeChecking', 'expressionWarnings').index(i);
    if (!warning) errors.push(required(at.child('warning')));
    if (!fieldRef?.trim()) errors.push(required(at.child('fieldRef')));
  }
  validateConditions(status?.conditions, path.child('conditions'), errors);
  return errors;
}

export const validatingAdmissionPolicyStrategy: KindStrategy<ValidatingAdmissionPolicy> = {
  metadataRules: { onUpdate: 'create', finalizers: 'any' },
  default(policy) {
    const spec = (policy.spec ??= {});
    spec.failurePolicy ??= 'Fail';
    defaultMatchResources(spec.matchConstraints);
  },
  prepareForCreate: resetStatus,
  prepareForUpdate: keepStatus,
  validateCreate: (policy) => validatePolicy(policy),
  validateUpdate: (policy, old) => validatePolicy(policy, old),
  subresources: { status: { validateUpdate: validateStatus } },
  warnings: staticNameWarnings,
  table: {
    columns: validatingAdmissionPolicyColumns,
    row: (policy, context) => [
      nameOf(policy),
      policy.spec?.validations?.length ?? 0,
      paramKindCell(policy.spec ?? noSpec),
      ageOf(policy, context),
    ],
  },
  generationChanged: (policy, old) => !equalJson(policy.spec, old.spec),
  allowUnconditionalUpdate: false,
};
