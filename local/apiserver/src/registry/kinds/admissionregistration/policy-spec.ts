import {
  type FieldError,
  type FieldPath,
  invalid,
  validateDns1035Label,
  validateDns1123Subdomain,
  required,
} from '@tektite/meta';
import type { CelType } from '@tektite/schema';
import type {
  MatchCondition,
  MatchResources,
  ParamKind,
  ValidatingAdmissionPolicySpec,
  Variable,
} from '@tektite/schema/kubernetes';
import { checkRequiredSupported } from '../field-checks.ts';
import { validateMatchConditions, validateVariables } from './expressions.ts';
import { failurePolicies, validateMatchResources } from './rules.ts';

/** The common part of validating and mutating policies. */
export type PolicySpec = Pick<ValidatingAdmissionPolicySpec, 'failurePolicy'> & {
  readonly paramKind?: ParamKind;
  readonly matchConstraints?: MatchResources;
  readonly matchConditions?: readonly MatchCondition[];
  readonly variables?: readonly Variable[];
};

/** Checks the beginning of a policy's spec. */
export function validateConstraints(spec: PolicySpec, path: FieldPath, errors: FieldError[]): void {
  checkRequiredSupported(spec.failurePolicy, failurePolicies, path.child('failurePolicy'), errors);
  if (spec.paramKind) validateParamKind(spec.paramKind, path.child('paramKind'), errors);
  const constraintsPath = path.child('matchConstraints');
  if (!spec.matchConstraints) {
    errors.push(required(constraintsPath));
    return;
  }
  validateMatchResources(spec.matchConstraints, constraintsPath, errors);
  if (!spec.matchConstraints.resourceRules?.length) errors.push(required(constraintsPath.child('resourceRules')));
}

/** Checks conditions and variables, and returns the types of the variables. */
export function validateComposition(
  spec: PolicySpec,
  sameConditions: boolean,
  path: FieldPath,
  errors: FieldError[],
): Map<string, CelType> {
  const params = spec.paramKind !== undefined;
  if (!sameConditions) validateMatchConditions(spec.matchConditions, params, path.child('matchConditions'), errors);
  return validateVariables(spec.variables ?? [], params, path.child('variables'), errors);
}

function validateParamKind({ apiVersion = '', kind = '' }: ParamKind, path: FieldPath, errors: FieldError[]): void {
  const at = path.child('apiVersion');
  const parts = apiVersion.split('/');
  const [group, version] = parts.length === 1 ? ['', apiVersion] : [parts[0] as string, parts[1] as string];
  if (apiVersion === '') errors.push(required(at));
  else if (parts.length > 2) errors.push(invalid(at, apiVersion, `unexpected GroupVersion string: ${apiVersion}`));
  else {
    const violations = group === '' ? [] : validateDns1123Subdomain(group);
    if (violations.length > 0) errors.push(invalid(at, group, violations.join(',')));
    const versionViolations = validateDns1035Label(version);
    if (version === '') errors.push(invalid(at, apiVersion, 'version must be specified'));
    else if (versionViolations.length > 0) errors.push(invalid(at, version, versionViolations.join(',')));
  }
  const kindViolations = validateDns1035Label(kind.toLowerCase());
  if (kind === '') errors.push(required(path.child('kind')));
  else if (kindViolations.length > 0)
    errors.push(
      invalid(path.child('kind'), kind, `may have mixed case, but should otherwise match: ${kindViolations.join(',')}`),
    );
}

export function paramKindCell({ paramKind }: PolicySpec): string {
  return paramKind ? `${paramKind.apiVersion ?? ''}/${paramKind.kind ?? ''}` : '<unset>';
}
