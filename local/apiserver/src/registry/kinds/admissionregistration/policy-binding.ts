import {
  duplicate,
  equalJson,
  type FieldError,
  FieldPath,
  forbidden,
  invalid,
  validatePathSegmentName,
  type Mutable,
  nameIsDnsSubdomain,
  notSupported,
  required,
  validateLabelSelector,
} from '@tektite/meta';
import type {
  LabelSelector,
  MutatingAdmissionPolicyBinding,
  ParamRef,
  ValidatingAdmissionPolicyBinding,
} from '@tektite/schema/kubernetes';
import type { KindStrategy, TableColumn } from '../../kind-strategy.ts';
import { checkRequiredSupported, checkText } from '../field-checks.ts';
import { ageOf, nameOf } from '../table/cells.ts';
import { mutatingAdmissionPolicyBindingColumns, validatingAdmissionPolicyBindingColumns } from './columns.ts';
import { checkMutableOperations, defaultMatchResources, staticNameWarnings, validateMatchResources } from './rules.ts';

type Binding = MutatingAdmissionPolicyBinding | ValidatingAdmissionPolicyBinding;

const path = FieldPath.of('spec');
const actions = ['Audit', 'Deny', 'Warn'];

function validateBinding({ spec = {} }: Binding): FieldError[] {
  const errors: FieldError[] = [];
  const { policyName, paramRef, matchResources } = spec;
  if (!policyName) errors.push(required(path.child('policyName')));
  else checkText(policyName, (name) => nameIsDnsSubdomain(name, false), path.child('policyName'), errors);
  if (paramRef) validateParamRef(paramRef, path.child('paramRef'), errors);
  if (matchResources) validateMatchResources(matchResources, path.child('matchResources'), errors);
  return errors;
}

function validateParamRef(reference: ParamRef, at: FieldPath, errors: FieldError[]): void {
  const { name, selector, parameterNotFoundAction } = reference;
  const exclusive = 'name and selector are mutually exclusive';
  if (name) {
    checkText(name, validatePathSegmentName, at.child('name'), errors);
    if (selector) errors.push(forbidden(at.child('name'), exclusive));
  }
  if (selector) {
    errors.push(...validateLabelSelector(selector, at.child('selector')));
    if (name) errors.push(forbidden(at.child('selector'), exclusive));
  }
  if (!name && !selector) errors.push(required(at, 'one of name or selector must be specified'));
  const actionPath = at.child('parameterNotFoundAction');
  checkRequiredSupported(parameterNotFoundAction, ['Deny', 'Allow'], actionPath, errors);
}

function validateActions(list: readonly string[], at: FieldPath, errors: FieldError[]): void {
  for (const [i, action] of list.entries()) {
    if (!actions.includes(action)) errors.push(notSupported(at.index(i), action, actions));
    if (list.indexOf(action) !== i) errors.push(duplicate(at.index(i), action));
  }
  if (list.includes('Deny') && list.includes('Warn'))
    errors.push(
      invalid(
        at,
        list,
        'must not contain both Deny and Warn (repeating the same validation failure information in the API response and headers serves no purpose)',
      ),
    );
  if (list.length === 0) errors.push(required(at, 'at least one validation action is required'));
}

function validateValidatingBinding(binding: ValidatingAdmissionPolicyBinding): FieldError[] {
  const errors = validateBinding(binding);
  validateActions(binding.spec?.validationActions ?? [], path.child('validationActions'), errors);
  return errors;
}

function validateMutatingBinding(binding: MutatingAdmissionPolicyBinding): FieldError[] {
  const errors = validateBinding(binding);
  const operationsPath = path.child('matchResources', 'resourceRules', 'operations');
  checkMutableOperations(binding.spec?.matchResources?.resourceRules, operationsPath, errors);
  return errors;
}

function paramCell(reference: ParamRef | undefined): string {
  if (reference?.name) return `${reference.namespace || '*'}/${reference.name}`;
  return reference?.selector ? printSelector(reference.selector) : '<unset>';
}

/** A selector as its Go type prints itself. */
function printSelector({ matchLabels = {}, matchExpressions = [] }: LabelSelector): string {
  const labels = Object.keys(matchLabels)
    .sort()
    .map((key) => `${key}: ${matchLabels[key]},`);
  const requirements = matchExpressions.map(
    ({ key, operator, values }) =>
      `LabelSelectorRequirement{Key:${key},Operator:${operator},Values:[${(values ?? []).join(' ')}],},`,
  );
  return `&LabelSelector{MatchLabels:map[string]string{${labels.join('')}},MatchExpressions:[]LabelSelectorRequirement{${requirements.join('')}},}`;
}

function bindingStrategy<T extends Binding>(
  validate: (binding: T) => FieldError[],
  columns: readonly TableColumn[],
): KindStrategy<T> {
  return {
    metadataRules: { onUpdate: 'create', finalizers: 'any' },
    default: (binding) => defaultMatchResources((binding as Mutable<Binding>).spec?.matchResources),
    validateCreate: (binding) => validate(binding),
    validateUpdate: (binding) => validate(binding),
    warnings: staticNameWarnings,
    table: {
      columns,
      row: (binding, context) => [
        nameOf(binding),
        binding.spec?.policyName ?? '',
        paramCell(binding.spec?.paramRef),
        ageOf(binding, context),
      ],
    },
    generationChanged: (binding, old) => !equalJson(binding.spec, old.spec),
    allowUnconditionalUpdate: false,
  };
}

export const validatingAdmissionPolicyBindingStrategy = bindingStrategy<ValidatingAdmissionPolicyBinding>(
  validateValidatingBinding,
  validatingAdmissionPolicyBindingColumns,
);
export const mutatingAdmissionPolicyBindingStrategy = bindingStrategy<MutatingAdmissionPolicyBinding>(
  validateMutatingBinding,
  mutatingAdmissionPolicyBindingColumns,
);
