import { equalJson, type FieldError, FieldPath, invalid, type Mutable, Quantity, required } from '@tektite/meta';
import type { ResourceQuota, ResourceQuotaSpec } from '@tektite/schema/kubernetes';
import type { KindStrategy } from '../../kind-strategy.ts';
import { goValue } from '../go-value/go-value.ts';
import { keepStatus, resetStatus } from '../prepare.ts';
import { ageOf, nameOf } from '../table/cells.ts';
import { resourceQuotaColumns } from './columns.ts';
import { roundResources } from './resource-list-defaults.ts';
import { isStandardQuotaResource, validateQuotaResourceName, validateResourceQuantity } from './resource-names.ts';

type ResourceList = Readonly<Record<string, string>>;

const podCompute = ['cpu', 'memory', 'limits.cpu', 'limits.memory', 'requests.cpu', 'requests.memory'];
/** Which resources a scope can limit. */
const resourcesOfScope: Readonly<Record<string, readonly string[]>> = {
  Terminating: ['pods', ...podCompute],
  NotTerminating: ['pods', ...podCompute],
  NotBestEffort: ['pods', ...podCompute],
  PriorityClass: ['pods', ...podCompute],
  CrossNamespacePodAffinity: ['pods', ...podCompute],
  BestEffort: ['pods'],
  VolumeAttributesClass: ['persistentvolumeclaims', 'requests.storage'],
};
const specPath = FieldPath.of('spec');

function validateList(list: ResourceList | undefined, path: FieldPath, errors: FieldError[]): void {
  for (const name in list) {
    validateQuotaResourceName(name, path.key(name), errors);
    validateResourceQuantity(name, list[name] as string, path.key(name), errors);
  }
}

function validateSpec(spec: ResourceQuotaSpec): FieldError[] {
  const errors: FieldError[] = [];
  validateList(spec.hard, specPath.child('hard'), errors);
  validateScopes(spec, errors);
  validateScopeSelector(spec, errors);
  return errors;
}

/** How many of the limited resources a scope cannot limit. */
function misfits(scope: string, spec: ResourceQuotaSpec): number {
  const allowed = resourcesOfScope[scope];
  if (!allowed) return 0;
  return Object.keys(spec.hard ?? {}).filter((name) => isStandardQuotaResource(name) && !allowed.includes(name)).length;
}

function conflicts(scopes: readonly string[]): number {
  const both = (a: string, b: string) => (scopes.includes(a) && scopes.includes(b) ? 1 : 0);
  return both('BestEffort', 'NotBestEffort') + both('Terminating', 'NotTerminating');
}

const maxErrors = 100;

function validateScopes(spec: ResourceQuotaSpec, errors: FieldError[]): void {
  const { scopes = [] } = spec;
  const report = (detail: string, times = 1) => {
    // Each of them names all scopes.
    for (let i = 0; i < times && errors.length < maxErrors; i++)
      errors.push(invalid(specPath.child('scopes'), scopes, detail));
  };
  for (const scope of scopes) {
    if (!Object.hasOwn(resourcesOfScope, scope)) report('unsupported scope');
    report('unsupported scope applied to resource', misfits(scope, spec));
  }
  report('conflicting scopes', conflicts(scopes));
}

const existsOnly =
  "must be 'Exists' when scope is any of ResourceQuotaScopeTerminating, ResourceQuotaScopeNotTerminating, ResourceQuotaScopeBestEffort, ResourceQuotaScopeNotBestEffort or ResourceQuotaScopeCrossNamespacePodAffinity";

function validateScopeSelector(spec: ResourceQuotaSpec, errors: FieldError[]): void {
  const requirements = spec.scopeSelector?.matchExpressions ?? [];
  const path = specPath.child('scopeSelector', 'matchExpressions');
  for (const { scopeName = '', operator = '', values = [] } of requirements) {
    if (!Object.hasOwn(resourcesOfScope, scopeName))
      errors.push(invalid(path.child('scopeName'), scopeName, 'unsupported scope'));
    for (let i = misfits(scopeName, spec); i > 0; i--)
      errors.push(invalid(path, goValue('ScopeSelector', spec.scopeSelector), 'unsupported scope applied to resource'));
    const needsNoValue = !['PriorityClass', 'VolumeAttributesClass'].includes(scopeName);
    if (needsNoValue && Object.hasOwn(resourcesOfScope, scopeName) && operator !== 'Exists')
      errors.push(invalid(path.child('operator'), operator, existsOnly));
    if (operator === 'In' || operator === 'NotIn') {
      if (values.length === 0)
        errors.push(
          required(
            path.child('values'),
            "must be at least one value when `operator` is 'In' or 'NotIn' for scope selector",
          ),
        );
    } else if (operator === 'Exists' || operator === 'DoesNotExist') {
      if (values.length > 0)
        errors.push(
          invalid(
            path.child('values'),
            values,
            "must be no value when `operator` is 'Exist' or 'DoesNotExist' for scope selector",
          ),
        );
    } else errors.push(invalid(path.child('operator'), operator, 'not a valid selector operator'));
  }
  for (let i = conflicts(requirements.map(({ scopeName }) => scopeName)); i > 0; i--)
    errors.push(invalid(path, spec.scopes ?? null, 'conflicting scopes'));
}

function quotaWarnings({ spec }: ResourceQuota): string[] {
  const warnings: string[] = [];
  const hard = spec?.hard ?? {};
  for (const resource of ['cpu', 'memory', 'storage', 'ephemeral-storage']) {
    const short = resource === 'cpu' || resource === 'memory';
    const requestName = short && hard[`requests.${resource}`] === undefined ? resource : `requests.${resource}`;
    const request = hard[requestName];
    const limitName = `limits.${resource}`;
    const limit = hard[limitName];
    if (request !== undefined && limit !== undefined && Quantity.parse(request).compare(Quantity.parse(limit)) > 0)
      warnings.push(`ResourceQuota ${requestName} (${request}) should be less than ${limitName} (${limit})`);
  }
  return warnings;
}

export const resourceQuotaStrategy: KindStrategy<ResourceQuota> = {
  default(quota: Mutable<ResourceQuota>) {
    for (const list of [quota.spec?.hard, quota.status?.hard, quota.status?.used]) roundResources(list);
  },
  prepareForCreate: resetStatus,
  prepareForUpdate: keepStatus,
  validateCreate: ({ spec }) => validateSpec(spec ?? {}),
  validateUpdate({ spec }, old) {
    const errors = validateSpec(spec ?? {});
    const sorted = (scopes: readonly string[] | undefined) => [...new Set(scopes)].sort();
    if (!equalJson(sorted(spec?.scopes), sorted(old.spec?.scopes)))
      errors.push(invalid(specPath.child('scopes'), spec?.scopes ?? null, 'field is immutable'));
    return errors;
  },
  subresources: {
    status: {
      validateUpdate({ metadata, status }) {
        const errors: FieldError[] = [];
        if (!metadata.resourceVersion) errors.push(required('resourceVersion'));
        validateList(status?.hard, FieldPath.of('status', 'hard'), errors);
        validateList(status?.used, FieldPath.of('status', 'used'), errors);
        return errors;
      },
    },
  },
  warnings: (quota, old) => (old ? [] : quotaWarnings(quota)),
  table: {
    columns: resourceQuotaColumns,
    row(quota, context) {
      const hard = quota.status?.hard ?? {};
      const cell = (limits: boolean) =>
        Object.keys(hard)
          .sort()
          .filter((name) => name.startsWith('limits.') === limits)
          .map((name) => `${name}: ${quota.status?.used?.[name] ?? '0'}/${hard[name]}`)
          .join(', ');
      return [nameOf(quota), cell(false), cell(true), ageOf(quota, context)];
    },
  },
  returnDeletedObject: true,
};
