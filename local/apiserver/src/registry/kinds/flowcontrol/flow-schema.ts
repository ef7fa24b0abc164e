import {
  duplicate,
  equalJson,
  type FieldError,
  FieldPath,
  forbidden,
  invalid,
  nameIsDnsLabel,
  nameIsDnsSubdomain,
  notSupported,
  required,
} from '@tektite/meta';
import type {
  FlowcontrolV1Subject,
  FlowSchema,
  FlowSchemaSpec,
  NonResourcePolicyRule,
  PolicyRulesWithSubjects,
  ResourcePolicyRule,
} from '@tektite/schema/kubernetes';
import type { KindStrategy } from '../../kind-strategy.ts';
import { checkSupported, checkText } from '../field-checks.ts';
import { goValue } from '../go-value/go-value.ts';
import { keepStatus, resetStatus } from '../prepare.ts';
import { ageOf, nameOf } from '../table/cells.ts';
import { flowSchemaColumns } from './columns.ts';

const highestPrecedence = 10_000;
const verbs = ['create', 'delete', 'deletecollection', 'get', 'list', 'patch', 'proxy', 'update', 'watch'];

const everything = (nameOfGroup: string) => ({ kind: 'Group', group: { name: nameOfGroup } });

/** Rules that match every request of some groups. */
function catchAll(subjects: readonly string[]): PolicyRulesWithSubjects[] {
  return [
    {
      subjects: subjects.map(everything),
      resourceRules: [{ verbs: ['*'], apiGroups: ['*'], resources: ['*'], clusterScope: true, namespaces: ['*'] }],
      nonResourceRules: [{ verbs: ['*'], nonResourceURLs: ['*'] }],
    },
  ];
}

/** Mandatory schemas that cannot be changed. */
const mandatory: Readonly<Record<string, FlowSchemaSpec>> = {
  exempt: {
    priorityLevelConfiguration: { name: 'exempt' },
    matchingPrecedence: 1,
    rules: catchAll(['system:masters']),
  },
  'catch-all': {
    priorityLevelConfiguration: { name: 'catch-all' },
    matchingPrecedence: highestPrecedence,
    distinguisherMethod: { type: 'ByUser' },
    rules: catchAll(['system:unauthenticated', 'system:authenticated']),
  },
};

function validateFlowSchema(schema: FlowSchema): FieldError[] {
  const errors: FieldError[] = [];
  const path = FieldPath.of('spec');
  const spec: Partial<FlowSchemaSpec> = schema.spec ?? {};
  const name = nameOf(schema);
  validatePrecedence(spec.matchingPrecedence ?? 0, name, path.child('matchingPrecedence'), errors);
  const method = spec.distinguisherMethod;
  if (method && !['ByNamespace', 'ByUser'].includes(method.type ?? ''))
    errors.push(
      notSupported(path.child('distinguisherMethod', 'type'), { Type: method.type ?? '' }, ['ByNamespace', 'ByUser']),
    );
  const level = spec.priorityLevelConfiguration?.name;
  const levelPath = path.child('priorityLevelConfiguration', 'name');
  if (level) checkText(level, (text) => nameIsDnsSubdomain(text, false), levelPath, errors);
  else errors.push(required(levelPath, 'must reference a priority level'));
  for (const [i, rule] of (spec.rules ?? []).entries()) validateRule(rule, path.child('rules').index(i), errors);
  const fixed = mandatory[name];
  if (fixed && !equalJson(fixed, spec))
    errors.push(invalid(path, goValue('FlowSchemaSpec', spec), `spec of '${name}' must equal the fixed value`));
  validateConditionTypes(schema, errors);
  return errors;
}

function validatePrecedence(precedence: number, name: string, path: FieldPath, errors: FieldError[]): void {
  if (precedence <= 0) errors.push(invalid(path, precedence, 'must be a positive value'));
  if (precedence > highestPrecedence)
    errors.push(invalid(path, precedence, `must not be greater than ${highestPrecedence}`));
  if (precedence === 1 && name !== 'exempt')
    errors.push(invalid(path, precedence, "only the schema named 'exempt' may have matchingPrecedence 1"));
}

function validateRule(rule: PolicyRulesWithSubjects, path: FieldPath, errors: FieldError[]): void {
  const { resourceRules = [], nonResourceRules = [] } = rule;
  if (!rule.subjects?.length) errors.push(required(path.child('subjects'), 'subjects must contain at least one value'));
  for (const [i, subject] of (rule.subjects ?? []).entries())
    validateSubject(subject, path.child('subjects').index(i), errors);
  if (resourceRules.length + nonResourceRules.length === 0)
    errors.push(required(path, 'at least one of resourceRules and nonResourceRules has to be non-empty'));
  for (const [i, item] of resourceRules.entries())
    validateResourceRule(item, path.child('resourceRules').index(i), errors);
  for (const [i, item] of nonResourceRules.entries())
    validatePathRule(item, path.child('nonResourceRules').index(i), errors);
}

const subjectFields = [
  ['ServiceAccount', 'serviceAccount'],
  ['User', 'user'],
  ['Group', 'group'],
] as const;

function validateSubject(subject: FlowcontrolV1Subject, path: FieldPath, errors: FieldError[]): void {
  const { kind = '' } = subject;
  const expected = subjectFields.find(([name]) => name === kind)?.[1];
  if (!expected) {
    checkSupported(kind, ['Group', 'ServiceAccount', 'User'], path.child('kind'), errors);
    return;
  }
  const at = path.child(expected);
  const named = subject[expected];
  if (!named) errors.push(required(at, `${expected} is required when subject kind is '${kind}'`));
  else {
    if (!named.name) errors.push(required(at.child('name')));
    if (expected === 'serviceAccount') validateServiceAccount(subject, at, errors);
  }
  for (const [name, field] of subjectFields)
    if (field !== expected && subject[field])
      errors.push(forbidden(path.child(field), `${field} is forbidden when subject kind is not '${name}'`));
}

function validateServiceAccount({ serviceAccount }: FlowcontrolV1Subject, path: FieldPath, errors: FieldError[]): void {
  const { name = '', namespace } = serviceAccount ?? {};
  if (name !== '' && name !== '*')
    checkText(name, (text) => nameIsDnsSubdomain(text, false), path.child('name'), errors);
  if (!namespace) errors.push(required(path.child('namespace'), 'must specify namespace for service account'));
  else checkText(namespace, (text) => nameIsDnsLabel(text, false), path.child('namespace'), errors);
}

function validateVerbs(list: readonly string[], path: FieldPath, errors: FieldError[]): void {
  if (list.length === 0) errors.push(required(path, 'verbs must contain at least one value'));
  else if (list.includes('*')) {
    if (list.length > 1) errors.push(invalid(path, list, "if '*' is present, must not specify other verbs"));
  } else if (list.some((verb) => !verbs.includes(verb))) errors.push(notSupported(path, list, verbs));
}

function validateResourceRule(rule: ResourcePolicyRule, path: FieldPath, errors: FieldError[]): void {
  validateVerbs(rule.verbs ?? [], path.child('verbs'), errors);
  for (const [field, one, others] of [
    ['apiGroups', 'api group', 'api groups'],
    ['resources', 'resource', 'resources'],
  ] as const) {
    const list = rule[field] ?? [];
    if (list.length === 0) errors.push(required(path.child(field), `resource rules must supply at least one ${one}`));
    else if (list.length > 1 && list.includes('*'))
      errors.push(invalid(path.child(field), list, `if '*' is present, must not specify other ${others}`));
  }
  const namespaces = rule.namespaces ?? [];
  const at = path.child('namespaces');
  if (namespaces.length === 0 && !rule.clusterScope)
    errors.push(required(at, 'resource rules that are not cluster scoped must supply at least one namespace'));
  else if (namespaces.includes('*')) {
    if (namespaces.length > 1)
      errors.push(invalid(at, namespaces, "if '*' is present, must not specify other namespaces"));
  } else
    for (const [i, namespace] of namespaces.entries())
      for (const violation of nameIsDnsLabel(namespace, false))
        errors.push(
          invalid(at.index(i), namespace, `each member of this list must be '*' or a DNS-1123 label; ${violation}`),
        );
}

function validatePathRule(rule: NonResourcePolicyRule, path: FieldPath, errors: FieldError[]): void {
  validateVerbs(rule.verbs ?? [], path.child('verbs'), errors);
  const urls = rule.nonResourceURLs ?? [];
  const at = path.child('nonResourceURLs');
  if (urls.length === 0) errors.push(required(at, 'nonResourceURLs must contain at least one value'));
  else if (urls.includes('*')) {
    if (urls.length > 1) errors.push(invalid(at, urls, "if '*' is present, must not specify other non-resource URLs"));
  } else
    for (const [i, url] of urls.entries()) {
      const violation = pathViolation(url);
      if (violation) errors.push(invalid(at.index(i), url, violation));
    }
}

function pathViolation(url: string): string | undefined {
  if (url === '') return 'must not be empty';
  if (url === '/') return undefined;
  if (!url.startsWith('/')) return 'must start with slash';
  if (url.includes(' ')) return 'must not contain white-space';
  if (url.includes('//')) return 'must not contain double slash';
  const stars = url.split('*').length - 1;
  return stars > 1 || (stars === 1 && !url.endsWith('/*')) ? 'wildcard can only do suffix matching' : undefined;
}

interface WithConditions {
  readonly status?: { readonly conditions?: readonly { readonly type?: string }[] };
}

/** Each condition has a different type; also for priority levels. */
export function validateConditionTypes({ status }: WithConditions, errors: FieldError[]): void {
  const seen = new Set<string>();
  for (const [i, { type = '' }] of (status?.conditions ?? []).entries()) {
    const path = FieldPath.of('status', 'conditions').index(i).child('type');
    if (seen.has(type)) errors.push(duplicate(path, type));
    seen.add(type);
    if (type === '') errors.push(required(path));
  }
}

export const flowSchemaStrategy: KindStrategy<FlowSchema> = {
  metadataRules: { onUpdate: 'create' },
  default({ spec }) {
    if (spec) spec.matchingPrecedence ||= 1000;
  },
  prepareForCreate: resetStatus,
  prepareForUpdate: keepStatus,
  validateCreate: validateFlowSchema,
  validateUpdate: validateFlowSchema,
  subresources: {
    status: {
      validateUpdate(schema) {
        const errors: FieldError[] = [];
        validateConditionTypes(schema, errors);
        return errors;
      },
    },
  },
  table: {
    columns: flowSchemaColumns,
    row: (schema, context) => [
      nameOf(schema),
      schema.spec?.priorityLevelConfiguration?.name ?? '',
      schema.spec?.matchingPrecedence ?? 0,
      schema.spec?.distinguisherMethod?.type ?? '<none>',
      ageOf(schema, context),
      schema.status?.conditions?.find(({ type }) => type === 'Dangling')?.status ?? '?',
    ],
  },
  generationChanged: (schema, old) => !equalJson(schema.spec, old.spec),
};
