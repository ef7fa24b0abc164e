import {
  type FieldError,
  FieldPath,
  formatTime,
  invalid,
  type Mutable,
  quoteGo,
  required,
  validateDns1035Label,
  validateDns1123Subdomain,
  validatePathSegmentName,
} from '@tektite/meta';
import type { APIService } from '@tektite/schema/kubernetes';
import type { KindStrategy } from '../../kind-strategy.ts';
import { keepStatus } from '../prepare.ts';
import { ageOf, nameOf } from '../table/cells.ts';
import { apiServiceColumns } from './columns.ts';

function availability({ status }: APIService): string {
  const condition = status?.conditions?.find(({ type }) => type === 'Available');
  if (!condition) return 'Unknown';
  return condition.status !== 'True' && condition.reason
    ? `${condition.status} (${condition.reason})`
    : condition.status;
}

const path = FieldPath.of('spec');

function validateApiService({ metadata, spec }: APIService): FieldError[] {
  const errors: FieldError[] = [];
  const { group = '', version = '', groupPriorityMinimum = 0, versionPriority = 0 } = spec ?? {};
  const name = `${version}.${group}`;
  if (metadata.name !== name)
    errors.push(
      invalid(
        FieldPath.of('metadata', 'name'),
        metadata.name ?? '',
        `must be \`spec.version+"."+spec.group\`: ${quoteGo(name)}`,
      ),
    );
  if (group === '' && version !== 'v1')
    errors.push(required(path.child('group'), 'only v1 may have an empty group and it better be legacy kube'));
  if (group !== '')
    for (const violation of validateDns1123Subdomain(group))
      errors.push(invalid(path.child('group'), group, violation));
  for (const violation of validateDns1035Label(version))
    errors.push(invalid(path.child('version'), version, violation));
  if (groupPriorityMinimum <= 0 || groupPriorityMinimum > 20_000)
    errors.push(
      invalid(path.child('groupPriorityMinimum'), groupPriorityMinimum, 'must be positive and less than 20000'),
    );
  if (versionPriority <= 0 || versionPriority > 1000)
    errors.push(invalid(path.child('versionPriority'), versionPriority, 'must be positive and less than 1000'));
  return [...errors, ...validateBackend(spec)];
}

/** Local groups are served here, and so there is no server to verify. */
function validateBackend(spec: APIService['spec']): FieldError[] {
  const { service, caBundle = '', insecureSkipTLSVerify = false } = spec ?? {};
  const errors: FieldError[] = [];
  const bytes = Buffer.from(caBundle, 'base64').length;
  const insecure = path.child('insecureSkipTLSVerify');
  if (!service) {
    if (bytes > 0)
      errors.push(invalid(path.child('caBundle'), `${bytes} bytes`, 'local APIServices may not have a caBundle'));
    if (insecureSkipTLSVerify)
      errors.push(invalid(insecure, true, 'local APIServices may not have insecureSkipTLSVerify'));
    return errors;
  }
  const { namespace = '', name = '', port = 443 } = service;
  if (namespace === '') errors.push(required(path.child('service').child('namespace')));
  if (name === '') errors.push(required(path.child('service').child('name')));
  if (port < 1 || port > 65_535)
    errors.push(
      invalid(path.child('service').child('port'), port, 'port is not valid: must be between 1 and 65535, inclusive'),
    );
  if (insecureSkipTLSVerify && bytes > 0)
    errors.push(invalid(insecure, true, 'may not be true if caBundle is present'));
  return errors;
}

export const apiServiceStrategy: KindStrategy<APIService> = {
  default({ spec }) {
    if (spec?.service) (spec.service as Mutable<typeof spec.service>).port ??= 443;
  },
  validateName: validatePathSegmentName,
  prepareForCreate(service, { now }) {
    const local = {
      type: 'Available',
      status: 'True',
      lastTransitionTime: formatTime(now),
      reason: 'Local',
      message: 'Local APIServices are always available',
    };
    service.status = service.spec?.service ? {} : { conditions: [local] };
  },
  prepareForUpdate: keepStatus,
  validateCreate: validateApiService,
  validateUpdate: validateApiService,
  table: {
    columns: apiServiceColumns,
    row: (service, context) => {
      const { namespace, name } = service.spec?.service ?? {};
      return [
        nameOf(service),
        service.spec?.service ? `${namespace ?? ''}/${name ?? ''}` : 'Local',
        availability(service),
        ageOf(service, context),
      ];
    },
  },
  allowUnconditionalUpdate: false,
};
