import {
  duplicate,
  type FieldError,
  FieldPath,
  forbidden,
  invalid,
  validateDns1123Subdomain,
  validateQualifiedName,
  notSupported,
  required,
  validateLabels,
} from '@tektite/meta';
import type { LoadBalancerStatus, Service, ServicePort, ServiceSpec } from '@tektite/schema/kubernetes';
import {
  checkDnsLabel,
  checkDnsSubdomain,
  checkPortNumber,
  checkPortNumberOrName,
  checkRequiredSupported,
  checkSupported,
  checkText,
} from '../../field-checks.ts';
import { goValue } from '../../go-value/go-value.ts';
import { parseIp } from '../../network/ip-address.ts';
import { validateCidr, validateEndpointIp, validateIp } from '../../network/validate-ip.ts';
import { portProtocols } from '../pod/container-ports.ts';
import { validateClusterIpChange, validateClusterIps } from './cluster-ips.ts';
import { isExternallyAccessible, isHeadless, needsHealthCheck, specOf } from './service-shape.ts';

const path = FieldPath.of('spec');
const annotationsPath = FieldPath.of('metadata', 'annotations');
const topologyHints = 'service.kubernetes.io/topology-aware-hints';
const topologyMode = 'service.kubernetes.io/topology-mode';
const sourceRanges = 'service.beta.kubernetes.io/load-balancer-source-ranges';
const onlyLoadBalancer = "may only be used when `type` is 'LoadBalancer'";
const maxAffinity = 86_400;

export function validateService(service: Service, old?: Service): FieldError[] {
  const errors: FieldError[] = [];
  const spec = specOf(service);
  const annotations = service.metadata.annotations ?? {};
  const hints = annotations[topologyHints];
  const mode = annotations[topologyMode];
  if (hints !== undefined && mode !== undefined && hints !== mode) {
    const detail = `must match annotations[${topologyHints}] when both are specified`;
    errors.push(invalid(annotationsPath.key(topologyMode), mode, detail));
  }
  validateType(spec, errors);
  validatePorts(spec, errors);
  if (spec.selector) errors.push(...validateLabels(spec.selector, path.child('selector')));
  validateAffinity(spec, errors);
  validateClusterIps(service, old, errors);
  for (const [i, ip] of (spec.externalIPs ?? []).entries()) {
    const before = errors.length;
    validateIp(ip, path.child('externalIPs').index(i), errors, old && specOf(old).externalIPs);
    if (errors.length === before) validateEndpointIp(ip, path.child('externalIPs').index(i), errors);
  }
  checkRequiredSupported(
    spec.type,
    ['ClusterIP', 'ExternalName', 'LoadBalancer', 'NodePort'],
    path.child('type'),
    errors,
  );
  checkPortConflicts(spec, errors);
  validateSourceRanges(service, old, errors);
  const isLoadBalancer = spec.type === 'LoadBalancer';
  if (spec.allocateLoadBalancerNodePorts !== undefined && !isLoadBalancer)
    errors.push(forbidden(path.child('allocateLoadBalancerNodePorts'), onlyLoadBalancer));
  if (spec.allocateLoadBalancerNodePorts === undefined && isLoadBalancer)
    errors.push(required('allocateLoadBalancerNodePorts'));
  validateLoadBalancerClass(spec, errors);
  validateTrafficPolicies(spec, errors);
  return errors;
}

export function validateServiceUpdate(service: Service, old: Service): FieldError[] {
  const errors: FieldError[] = [];
  const spec = specOf(service);
  const oldSpec = specOf(old);
  validateClusterIpChange(service, old, errors);
  const bothBalanced = spec.type === 'LoadBalancer' && oldSpec.type === 'LoadBalancer';
  if (bothBalanced && spec.loadBalancerClass !== oldSpec.loadBalancerClass)
    errors.push(invalid(path.child('loadBalancerClass'), spec.loadBalancerClass ?? null, 'may not change once set'));
  validateLoadBalancerClass(spec, errors);
  const bothChecked = needsHealthCheck(spec) && needsHealthCheck(oldSpec);
  if (bothChecked && (spec.healthCheckNodePort ?? 0) !== (oldSpec.healthCheckNodePort ?? 0))
    errors.push(forbidden(path.child('healthCheckNodePort'), 'field is immutable'));
  return [...errors, ...validateService(service, old)];
}

function validateType(spec: ServiceSpec, errors: FieldError[]): void {
  const { type, ports = [], clusterIPs = [], externalName = '' } = spec;
  if (ports.length === 0 && !isHeadless(spec) && type !== 'ExternalName') errors.push(required(path.child('ports')));
  if ((type === 'LoadBalancer' || type === 'NodePort') && isHeadless(spec))
    errors.push(
      invalid(path.child('clusterIPs').index(0), clusterIPs[0], `may not be set to 'None' for ${type} services`),
    );
  if (type !== 'ExternalName') return;
  const notForNames = 'may not be set for ExternalName services';
  if (clusterIPs.length > 0) errors.push(forbidden(path.child('clusterIPs'), notForNames));
  if (spec.ipFamilies?.length) errors.push(forbidden(path.child('ipFamilies'), notForNames));
  if (spec.ipFamilyPolicy !== undefined) errors.push(forbidden(path.child('ipFamilyPolicy'), notForNames));
  const name = externalName.endsWith('.') ? externalName.slice(0, -1) : externalName;
  if (name === '') errors.push(required(path.child('externalName')));
  else checkDnsSubdomain(name, path.child('externalName'), errors);
}

function validatePorts({ ports = [] }: ServiceSpec, errors: FieldError[]): void {
  const names = new Set<string>();
  for (const [i, port] of ports.entries())
    validatePort(port, ports.length > 1, names, path.child('ports').index(i), errors);
}

function validatePort(
  port: ServicePort,
  needsName: boolean,
  names: Set<string>,
  at: FieldPath,
  errors: FieldError[],
): void {
  const { name = '' } = port;
  if (name !== '') {
    checkDnsLabel(name, at.child('name'), errors);
    if (names.has(name)) errors.push(duplicate(at.child('name'), name));
    names.add(name);
  } else if (needsName) errors.push(required(at.child('name')));
  checkPortNumber(port.port ?? 0, at.child('port'), errors);
  checkRequiredSupported(port.protocol, portProtocols, at.child('protocol'), errors);
  checkPortNumberOrName(port.targetPort ?? 0, at.child('targetPort'), errors);
  if (port.appProtocol !== undefined)
    checkText(port.appProtocol, validateQualifiedName, at.child('appProtocol'), errors);
}

function validateAffinity(spec: ServiceSpec, errors: FieldError[]): void {
  const { sessionAffinity, sessionAffinityConfig: config } = spec;
  checkRequiredSupported(sessionAffinity, ['ClientIP', 'None'], path.child('sessionAffinity'), errors);
  const at = path.child('sessionAffinityConfig');
  if (sessionAffinity === 'None' && config) errors.push(forbidden(at, 'must not be set when session affinity is None'));
  if (sessionAffinity !== 'ClientIP') return;
  const timeout = config?.clientIP?.timeoutSeconds;
  const needed = 'when session affinity type is ClientIP';
  if (!config) errors.push(required(at, needed));
  else if (!config.clientIP) errors.push(required(at.child('clientIP'), needed));
  else if (timeout === undefined) errors.push(required(at.child('clientIP', 'timeoutSeconds'), needed));
  else if (timeout <= 0 || timeout > maxAffinity)
    errors.push(
      invalid(at.child('clientIP', 'timeoutSeconds'), timeout, `must be greater than 0 and less than ${maxAffinity}`),
    );
}

function checkPortConflicts({ type, ports = [] }: ServiceSpec, errors: FieldError[]): void {
  const at = (i: number) => path.child('ports').index(i);
  if (type === 'ClusterIP')
    for (const [i, port] of ports.entries())
      if (port.nodePort) errors.push(forbidden(at(i).child('nodePort'), "may not be used when `type` is 'ClusterIP'"));
  const nodePorts = new Set<string>();
  for (const [i, { protocol, nodePort }] of ports.entries()) {
    if (!nodePort) continue;
    if (nodePorts.has(`${protocol}/${nodePort}`)) errors.push(duplicate(at(i).child('nodePort'), nodePort));
    nodePorts.add(`${protocol}/${nodePort}`);
  }
  const seen = new Set<string>();
  for (const [i, { protocol, port }] of ports.entries()) {
    if (seen.has(`${protocol}/${port}`)) errors.push(duplicate(at(i), goValue('ServicePort', { protocol, port })));
    seen.add(`${protocol}/${port}`);
  }
}

function validateSourceRanges(service: Service, old: Service | undefined, errors: FieldError[]): void {
  const { type, loadBalancerSourceRanges: ranges = [] } = specOf(service);
  const annotation = service.metadata.annotations?.[sourceRanges];
  if (ranges.length > 0) {
    const at = path.child('LoadBalancerSourceRanges');
    if (type !== 'LoadBalancer') errors.push(forbidden(at, onlyLoadBalancer));
    const known = old && specOf(old).loadBalancerSourceRanges?.map((range) => range.trim());
    for (const [i, range] of ranges.entries()) validateCidr(range.trim(), at.index(i), errors, known);
  } else if (annotation !== undefined) {
    const at = annotationsPath.key(sourceRanges);
    if (type !== 'LoadBalancer') errors.push(forbidden(at, onlyLoadBalancer));
    const unchanged = old?.metadata.annotations?.[sourceRanges] === annotation;
    if (!unchanged && annotation.trim() !== '')
      for (const range of annotation.split(',')) validateCidr(range.trim(), at, errors);
  }
}

function validateLoadBalancerClass({ type, loadBalancerClass }: ServiceSpec, errors: FieldError[]): void {
  if (loadBalancerClass === undefined) return;
  const at = path.child('loadBalancerClass');
  if (type === 'LoadBalancer') checkText(loadBalancerClass, validateQualifiedName, at, errors);
  else errors.push(forbidden(at, onlyLoadBalancer));
}

function validateTrafficPolicies(spec: ServiceSpec, errors: FieldError[]): void {
  const { type, externalTrafficPolicy: external = '', internalTrafficPolicy: internal } = spec;
  const externalPath = path.child('externalTrafficPolicy');
  if (isExternallyAccessible(spec)) checkRequiredSupported(external, ['Cluster', 'Local'], externalPath, errors);
  else if (external !== '')
    errors.push(invalid(externalPath, external, 'may only be set for externally-accessible services'));
  const { healthCheckNodePort = 0 } = spec;
  const healthPath = path.child('healthCheckNodePort');
  if (needsHealthCheck(spec)) {
    if (healthCheckNodePort === 0) errors.push(required(healthPath));
    else checkPortNumber(healthCheckNodePort, healthPath, errors);
  } else if (healthCheckNodePort !== 0) {
    const detail = "may only be set when `type` is 'LoadBalancer' and `externalTrafficPolicy` is 'Local'";
    errors.push(invalid(healthPath, healthCheckNodePort, detail));
  }
  const internalPath = path.child('internalTrafficPolicy');
  if (internal !== undefined) checkSupported(internal, ['Cluster', 'Local'], internalPath, errors);
  else if (['NodePort', 'LoadBalancer', 'ClusterIP'].includes(type ?? '')) errors.push(required(internalPath));
  const distributions = ['PreferClose', 'PreferSameZone', 'PreferSameNode'];
  if (spec.trafficDistribution !== undefined)
    checkSupported(spec.trafficDistribution, distributions, path.child('trafficDistribution'), errors);
}

/** Validates the status of a load balancer. */
export function validateLoadBalancerStatus(
  status: LoadBalancerStatus,
  old: LoadBalancerStatus,
  type: string | undefined,
): FieldError[] {
  const errors: FieldError[] = [];
  const { ingress = [] } = status;
  const at = FieldPath.of('status', 'loadBalancer', 'ingress');
  if (type !== 'LoadBalancer') {
    if (ingress.length > 0) errors.push(forbidden(at, "may only be used when `spec.type` is 'LoadBalancer'"));
    return errors;
  }
  const known = (old.ingress ?? []).flatMap(({ ip }) => (ip ? [ip] : []));
  for (const [i, { ip = '', ipMode, hostname = '' }] of ingress.entries()) {
    const modePath = at.index(i).child('ipMode');
    if (ip !== '') validateIp(ip, at.index(i).child('ip'), errors, known);
    if (ipMode === undefined) {
      if (ip !== '') errors.push(required(modePath, 'must be specified when `ip` is set'));
    } else if (ip === '') errors.push(forbidden(modePath, 'may not be specified when `ip` is not set'));
    else if (!['Proxy', 'VIP'].includes(ipMode)) errors.push(notSupported(modePath, ipMode, ['Proxy', 'VIP']));
    if (hostname === '') continue;
    checkText(hostname, validateDns1123Subdomain, at.index(i).child('hostname'), errors);
    if (parseIp(hostname))
      errors.push(invalid(at.index(i).child('hostname'), hostname, 'must be a DNS name, not an IP address'));
  }
  return errors;
}
