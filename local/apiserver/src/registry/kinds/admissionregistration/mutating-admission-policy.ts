import { equalJson, type FieldError, FieldPath, invalid, notSupported, required } from '@tektite/meta';
import type { MutatingAdmissionPolicy, MutatingAdmissionPolicySpec, Mutation } from '@tektite/schema/kubernetes';
import type { KindStrategy } from '../../kind-strategy.ts';
import { checkRequiredSupported } from '../field-checks.ts';
import { ageOf, nameOf } from '../table/cells.ts';
import { mutatingAdmissionPolicyColumns } from './columns.ts';
import { appliedObject, checkExpression, type ExpressionScope, patchList, patchTypes } from './expressions.ts';
import { paramKindCell, validateComposition, validateConstraints } from './policy-spec.ts';
import { checkMutableOperations, defaultMatchResources, staticNameWarnings } from './rules.ts';

const noSpec: MutatingAdmissionPolicySpec = {};

function validatePolicy(policy: MutatingAdmissionPolicy, old?: MutatingAdmissionPolicy): FieldError[] {
  const errors: FieldError[] = [];
  const path = FieldPath.of('spec');
  const spec = policy.spec ?? noSpec;
  const { mutations = [], matchConstraints } = spec;
  const conditions = ({ paramKind, matchConditions }: MutatingAdmissionPolicySpec) => [paramKind, matchConditions];
  const sameConditions = old !== undefined && equalJson(conditions(spec), conditions(old.spec ?? noSpec));
  validateConstraints(spec, path, errors);
  const operationsPath = path.child('matchConstraints', 'resourceRules', 'operations');
  checkMutableOperations(matchConstraints?.resourceRules, operationsPath, errors);
  const variables = validateComposition(spec, sameConditions, path, errors);
  const scope = { params: spec.paramKind !== undefined, authorizer: true, variables };
  if (mutations.length === 0)
    errors.push(required(path.child('mutations'), 'mutations must contain at least one item'));
  for (const [i, mutation] of mutations.entries())
    validateMutation(mutation, scope, path.child('mutations').index(i), errors);
  checkRequiredSupported(spec.reinvocationPolicy, ['IfNeeded', 'Never'], path.child('reinvocationPolicy'), errors);
  return errors;
}

function validateMutation(mutation: Mutation, scope: ExpressionScope, path: FieldPath, errors: FieldError[]): void {
  const { patchType } = mutation;
  if (!patchType) errors.push(required(path.child('patchType')));
  else if (patchType === 'JSONPatch') validateOne(mutation, 'jsonPatch', 'applyConfiguration', scope, path, errors);
  else if (patchType === 'ApplyConfiguration')
    validateOne(mutation, 'applyConfiguration', 'jsonPatch', scope, path, errors);
  else errors.push(notSupported(path.child('patchType'), patchType, ['ApplyConfiguration', 'JSONPatch']));
}

type PatchField = 'jsonPatch' | 'applyConfiguration';

function validateOne(
  mutation: Mutation,
  field: PatchField,
  other: PatchField,
  scope: ExpressionScope,
  path: FieldPath,
  errors: FieldError[],
): void {
  const { patchType } = mutation;
  const expressionPath = path.child(field, 'expression');
  const expression = mutation[field]?.expression?.trim() ?? '';
  if (!mutation[field]) errors.push(required(path.child(field), `must be specified when patchType is ${patchType}`));
  else if (expression === '') errors.push(required(expressionPath));
  else {
    const result = field === 'jsonPatch' ? patchList : appliedObject;
    checkExpression(expression, { ...scope, types: patchTypes(expression) }, result, expressionPath, errors);
  }
  if (mutation[other])
    errors.push(invalid(path.child(other), `{${other}}`, `must not be specified when patchType is ${patchType}`));
}

export const mutatingAdmissionPolicyStrategy: KindStrategy<MutatingAdmissionPolicy> = {
  metadataRules: { onUpdate: 'create', finalizers: 'any' },
  default(policy) {
    const spec = (policy.spec ??= {});
    spec.failurePolicy ??= 'Fail';
    defaultMatchResources(spec.matchConstraints);
  },
  validateCreate: (policy) => validatePolicy(policy),
  validateUpdate: (policy, old) => validatePolicy(policy, old),
  warnings: staticNameWarnings,
  table: {
    columns: mutatingAdmissionPolicyColumns,
    row: (policy, context) => [
      nameOf(policy),
      policy.spec?.mutations?.length ?? 0,
      paramKindCell(policy.spec ?? noSpec),
      ageOf(policy, context),
    ],
  },
  generationChanged: (policy, old) => !equalJson(policy.spec, old.spec),
  allowUnconditionalUpdate: false,
};
