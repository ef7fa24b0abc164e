import {
  duplicate,
  type FieldError,
  type FieldPath,
  invalid,
  validatePathSegmentName,
  type Mutable,
  required,
  validateLabelSelector,
} from '@tektite/meta';
import type { MatchResources, NamedRuleWithOperations, RuleWithOperations } from '@tektite/schema/kubernetes';
import { checkRequiredSupported, checkSupported, checkText } from '../field-checks.ts';

export const failurePolicies = ['Fail', 'Ignore'];
export const matchPolicies = ['Equivalent', 'Exact'];
const operations = ['*', 'CONNECT', 'CREATE', 'DELETE', 'UPDATE'];
const scopes = ['*', 'Cluster', 'Namespaced'];

export function defaultRules(rules: readonly Mutable<RuleWithOperations>[] | undefined): void {
  for (const rule of rules ?? []) rule.scope ??= '*';
}

/** Validates a rule of a webhook or policy: operations on resources of groups and versions. */
export function validateRule(rule: RuleWithOperations, path: FieldPath, errors: FieldError[]): void {
  const { apiVersions = [], scope } = rule;
  checkWildcard(rule.operations ?? [], 'operations', path.child('operations'), errors);
  for (const [i, operation] of (rule.operations ?? []).entries())
    checkSupported(operation, operations, path.child('operations').index(i), errors);
  checkWildcard(rule.apiGroups ?? [], 'API groups', path.child('apiGroups'), errors);
  checkWildcard(apiVersions, 'API versions', path.child('apiVersions'), errors);
  for (const [i, version] of apiVersions.entries())
    if (version === '') errors.push(required(path.child('apiVersions').index(i)));
  validateResources(rule.resources ?? [], path.child('resources'), errors);
  if (scope !== undefined) checkSupported(scope, scopes, path.child('scope'), errors);
}

function checkWildcard(list: readonly string[], noun: string, path: FieldPath, errors: FieldError[]): void {
  if (list.length === 0) errors.push(required(path));
  if (list.length > 1 && list.includes('*'))
    errors.push(invalid(path, list, `if '*' is present, must not specify other ${noun}`));
}

function validateResources(resources: readonly string[], path: FieldPath, errors: FieldError[]): void {
  if (resources.length === 0) errors.push(required(path));
  const allOf = new Set<string>();
  const everywhere = new Set<string>();
  let hasPlain = false;
  for (const [i, resource] of resources.entries()) {
    if (resource === '') {
      errors.push(required(path.index(i)));
      continue;
    }
    const slash = resource.indexOf('/');
    if (slash < 0) {
      // Only the last one without a subresource counts; that is upstream's slip.
      hasPlain = resource !== '*';
      continue;
    }
    const [name, subresource] = [resource.slice(0, slash), resource.slice(slash + 1)];
    const reject = (present: string) =>
      errors.push(invalid(path.index(i), resource, `if '${present}' is present, must not specify ${resource}`));
    if (allOf.has(name)) reject(`${name}/*`);
    if (everywhere.has(subresource)) reject(`*/${subresource}`);
    if (subresource === '*') allOf.add(name);
    if (name === '*') everywhere.add(subresource);
  }
  if (resources.length > 1 && resources.includes('*/*'))
    errors.push(invalid(path, resources, "if '*/*' is present, must not specify other resources"));
  if (resources.includes('*') && hasPlain)
    errors.push(invalid(path, resources, "if '*' is present, must not specify other resources without subresources"));
}

export function defaultMatchResources(match: Mutable<MatchResources> | undefined): void {
  if (!match) return;
  match.matchPolicy ??= 'Equivalent';
  match.namespaceSelector ??= {};
  match.objectSelector ??= {};
  defaultRules(match.resourceRules);
  defaultRules(match.excludeResourceRules);
}

/** Which requests a policy is about. */
export function validateMatchResources(match: MatchResources, path: FieldPath, errors: FieldError[]): void {
  checkRequiredSupported(match.matchPolicy, matchPolicies, path.child('matchPolicy'), errors);
  for (const field of ['namespaceSelector', 'objectSelector'] as const) {
    const selector = match[field];
    if (!selector) errors.push(required(path.child(field)));
    else errors.push(...validateLabelSelector(selector, path.child(field)));
  }
  for (const field of ['resourceRules', 'excludeResourceRules'] as const)
    for (const [i, rule] of (match[field] ?? []).entries()) validateNamedRule(rule, path.child(field).index(i), errors);
}

function validateNamedRule(rule: NamedRuleWithOperations, path: FieldPath, errors: FieldError[]): void {
  const names = rule.resourceNames ?? [];
  for (const [i, name] of names.entries()) {
    const at = path.child('resourceNames').index(i);
    checkText(name, validatePathSegmentName, at, errors);
    if (names.indexOf(name) !== i) errors.push(duplicate(at, name));
  }
  validateRule(rule, path, errors);
}

/** A mutation cannot change what is deleted. */
export function checkMutableOperations(
  rules: readonly NamedRuleWithOperations[] | undefined,
  path: FieldPath,
  errors: FieldError[],
): void {
  for (const rule of rules ?? [])
    for (const operation of rule.operations ?? [])
      checkSupported(operation, ['*', 'CONNECT', 'CREATE', 'UPDATE'], path, errors);
}

/** A name that is kept for configuration in files. */
export function staticNameWarnings({ metadata }: { readonly metadata: { readonly name?: string } }): string[] {
  if (!metadata.name?.endsWith('.static.k8s.io')) return [];
  return [
    'metadata.name: names ending with ".static.k8s.io" are reserved for static manifest-based configurations and cannot be managed via the API',
  ];
}
