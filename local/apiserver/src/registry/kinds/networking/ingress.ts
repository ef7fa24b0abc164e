import {
  equalJson,
  type FieldError,
  FieldPath,
  invalid,
  validateDns1123Subdomain,
  validatePathSegmentName,
  validatePortName,
  validateWildcardDns1123Subdomain,
  nameIsDnsLabel,
  nameIsDnsSubdomain,
  notSupported,
  required,
} from '@tektite/meta';
import type {
  HTTPIngressPath,
  Ingress,
  IngressBackend,
  IngressRule,
  IngressServiceBackend,
  IngressSpec,
  TypedLocalObjectReference,
} from '@tektite/schema/kubernetes';
import type { KindStrategy } from '../../kind-strategy.ts';
import { checkDnsSubdomain, checkPortNumber, checkText } from '../field-checks.ts';
import { parseIp } from '../network/ip-address.ts';
import { validateIp } from '../network/validate-ip.ts';
import { keepStatus, resetStatus } from '../prepare.ts';
import { ageOf, nameOf } from '../table/cells.ts';
import { ingressColumns } from './columns.ts';

const classAnnotation = 'kubernetes.io/ingress.class';

function validateIngressSpec(spec: IngressSpec): FieldError[] {
  const errors: FieldError[] = [];
  const path = FieldPath.of('spec');
  const { rules = [], defaultBackend, tls = [], ingressClassName } = spec;
  if (rules.length === 0 && !defaultBackend)
    errors.push(invalid(path, null, 'either `defaultBackend` or `rules` must be specified'));
  if (defaultBackend) validateBackend(defaultBackend, path.child('defaultBackend'), errors);
  for (const [i, { host, http }] of rules.entries()) {
    const at = path.child('rules').index(i);
    if (host) {
      if (parseIp(host)) errors.push(invalid(at.child('host'), host, 'must be a DNS name, not an IP address'));
      validateHost(host, at.child('host'), errors);
    }
    if (http) validatePaths(http.paths ?? [], at.child('http', 'paths'), errors);
  }
  for (const [i, { hosts = [], secretName }] of tls.entries()) {
    const at = path.child('tls').index(i);
    for (const [j, host] of hosts.entries()) validateHost(host, at.child('hosts').index(j), errors);
    if (secretName) checkText(secretName, (name) => nameIsDnsSubdomain(name, false), at.child('secretName'), errors);
  }
  if (ingressClassName !== undefined)
    checkText(ingressClassName, (name) => nameIsDnsSubdomain(name, false), path.child('ingressClassName'), errors);
  return errors;
}

function validateHost(host: string, path: FieldPath, errors: FieldError[]): void {
  checkText(host, host.includes('*') ? validateWildcardDns1123Subdomain : validateDns1123Subdomain, path, errors);
}

function validatePaths(paths: readonly HTTPIngressPath[], path: FieldPath, errors: FieldError[]): void {
  if (paths.length === 0) errors.push(required(path));
  for (const [i, item] of paths.entries()) validatePath(item, path.index(i), errors);
}

function validatePath(item: HTTPIngressPath, at: FieldPath, errors: FieldError[]): void {
  const { path = '', pathType } = item;
  if (pathType === undefined || pathType === null) {
    errors.push(required(at.child('pathType'), 'pathType must be specified'));
    return;
  }
  const report = (detail: string) => errors.push(invalid(at.child('path'), path, detail));
  if (pathType === 'Exact' || pathType === 'Prefix') {
    if (!path.startsWith('/')) report('must be an absolute path');
    for (const part of ['//', '/./', '/../', '%2f', '%2F'])
      if (path.includes(part)) report(`must not contain '${part}'`);
    for (const end of ['/..', '/.']) if (path.endsWith(end)) report(`cannot end with '${end}'`);
  } else if (pathType === 'ImplementationSpecific') {
    if (path !== '' && !path.startsWith('/')) report('must be an absolute path');
  } else errors.push(notSupported(at.child('pathType'), pathType, ['Exact', 'ImplementationSpecific', 'Prefix']));
  validateBackend(item.backend ?? {}, at.child('backend'), errors);
}

function validateBackend({ resource, service }: IngressBackend, path: FieldPath, errors: FieldError[]): void {
  if (resource && service) errors.push(invalid(path, '', 'cannot set both resource and service backends'));
  else if (resource) validateResource(resource, path.child('resource'), errors);
  else if (service) validateService(service, path, errors);
  else errors.push(invalid(path, '', 'resource or service backend is required'));
}

function validateResource(
  { apiGroup, kind, name }: Partial<TypedLocalObjectReference>,
  path: FieldPath,
  errors: FieldError[],
): void {
  if (apiGroup !== undefined && apiGroup !== null) checkDnsSubdomain(apiGroup, path.child('apiGroup'), errors);
  for (const [field, value] of [
    ['kind', kind],
    ['name', name],
  ] as const)
    if (!value) errors.push(required(path.child(field)));
    else checkText(value, validatePathSegmentName, path.child(field), errors);
}

function validateService({ name, port }: Partial<IngressServiceBackend>, path: FieldPath, errors: FieldError[]): void {
  const at = path.child('service');
  if (!name) errors.push(required(at.child('name')));
  else checkText(name, (text) => nameIsDnsLabel(text, false), at.child('name'), errors);
  if (port?.name && port.number) errors.push(invalid(path, '', 'cannot set both port name & port number'));
  else if (port?.name) checkText(port.name, validatePortName, at.child('port', 'name'), errors);
  else if (port?.number) checkPortNumber(port.number, at.child('port', 'number'), errors);
  else errors.push(required(path, 'port name or number is required'));
}

function validateIngress(ingress: Ingress): FieldError[] {
  const errors = validateIngressSpec(ingress.spec ?? {});
  const annotation = ingress.metadata.annotations?.[classAnnotation];
  const className = ingress.spec?.ingressClassName;
  if (annotation !== undefined && className !== undefined && annotation !== className)
    errors.push(
      invalid(
        FieldPath.of('annotations', classAnnotation),
        annotation,
        'must match `ingressClassName` when both are specified',
      ),
    );
  return errors;
}

function validateIngressStatus({ status }: Ingress, old: Ingress): FieldError[] {
  const errors: FieldError[] = [];
  const known = (old.status?.loadBalancer?.ingress ?? []).flatMap(({ ip }) => ip ?? []);
  for (const [i, { ip, hostname }] of (status?.loadBalancer?.ingress ?? []).entries()) {
    const path = FieldPath.of('status', 'loadBalancer', 'ingress').index(i);
    if (ip) validateIp(ip, path.child('ip'), errors, known);
    if (!hostname) continue;
    checkDnsSubdomain(hostname, path.child('hostname'), errors);
    if (parseIp(hostname))
      errors.push(invalid(path.child('hostname'), hostname, 'must be a DNS name, not an IP address'));
  }
  return errors;
}

function formatHosts({ rules = [] }: IngressSpec): string {
  const hosts = rules.flatMap(({ host }) => host || []);
  if (hosts.length === 0) return '*';
  // More are announced when any rule follows the third host, and rules are what is counted.
  const third = hosts.length < 3 ? -1 : rules.indexOf(rules.filter(({ host }) => host)[2] as IngressRule);
  const text = hosts.slice(0, 3).join(',');
  return third >= 0 && third < rules.length - 1 ? `${text} + ${rules.length - 3} more...` : text;
}

function formatAddress({ status }: Ingress): string {
  const addresses = (status?.loadBalancer?.ingress ?? []).flatMap(({ ip, hostname }) => ip || hostname || []);
  return [...new Set(addresses)].sort().join(',');
}

export const ingressStrategy: KindStrategy<Ingress> = {
  metadataRules: { onUpdate: 'both' },
  prepareForCreate: resetStatus,
  prepareForUpdate: keepStatus,
  validateCreate: validateIngress,
  validateUpdate: ({ spec }) => validateIngressSpec(spec ?? {}),
  subresources: { status: { validateUpdate: validateIngressStatus } },
  warnings: ({ metadata, spec }, old) =>
    !old && metadata.annotations?.[classAnnotation] !== undefined && spec?.ingressClassName === undefined
      ? [`annotation "${classAnnotation}" is deprecated, please use 'spec.ingressClassName' instead`]
      : [],
  table: {
    columns: ingressColumns,
    row: (ingress, context) => [
      nameOf(ingress),
      ingress.spec?.ingressClassName ?? '<none>',
      formatHosts(ingress.spec ?? {}),
      formatAddress(ingress),
      ingress.spec?.tls?.length ? '80, 443' : '80',
      ageOf(ingress, context),
    ],
  },
  generationChanged: (ingress, old) => !equalJson(ingress.spec, old.spec),
};
