import { FieldPath, type Mutable, nameIsDnsLabel, quoteGo } from '@tektite/meta';
import type { LoadBalancerIngress, Service, ServiceSpec } from '@tektite/schema/kubernetes';
import type { KindStrategy } from '../../../kind-strategy.ts';
import { cidrWarnings, ipWarnings } from '../../network/validate-ip.ts';
import { keepStatus, setField } from '../../prepare.ts';
import { ageOf, formatLabels, nameOf } from '../../table/cells.ts';
import { serviceColumns } from '../columns.ts';
import { allocateService } from './allocate-service.ts';
import {
  hasNodePorts,
  isExternallyAccessible,
  needsClusterIp,
  needsHealthCheck,
  sameList,
  specOf,
} from './service-shape.ts';
import { validateLoadBalancerStatus, validateService, validateServiceUpdate } from './validate-service.ts';

const topologyHints = 'service.kubernetes.io/topology-aware-hints';
const topologyMode = 'service.kubernetes.io/topology-mode';
const path = FieldPath.of('spec');

function defaultService(service: Mutable<Service>): void {
  service.spec ??= {};
  const { spec } = service;
  spec.sessionAffinity ||= 'None';
  if (spec.sessionAffinity === 'None') delete spec.sessionAffinityConfig;
  if (spec.sessionAffinity === 'ClientIP' && spec.sessionAffinityConfig?.clientIP?.timeoutSeconds === undefined)
    spec.sessionAffinityConfig = { clientIP: { timeoutSeconds: 10_800 } };
  spec.type ||= 'ClusterIP';
  for (const port of spec.ports ?? []) {
    port.protocol ||= 'TCP';
    if (!port.targetPort) port.targetPort = port.port;
  }
  if (isExternallyAccessible(spec as ServiceSpec)) spec.externalTrafficPolicy ||= 'Cluster';
  if (['NodePort', 'LoadBalancer', 'ClusterIP'].includes(spec.type)) spec.internalTrafficPolicy ??= 'Cluster';
  if (spec.type === 'LoadBalancer') {
    spec.allocateLoadBalancerNodePorts ??= true;
    for (const ingress of service.status?.loadBalancer?.ingress ?? []) if (ingress.ip) ingress.ipMode ??= 'VIP';
  }
}

/** Fields that depend on the type of a Service are dropped with the type, unless they were set again. */
function dropTypeDependentFields(spec: Mutable<ServiceSpec>, old: ServiceSpec): void {
  const now = spec as ServiceSpec;
  if (needsClusterIp(old) && !needsClusterIp(now)) {
    if (old.clusterIP === spec.clusterIP && sameList(old.clusterIPs, spec.clusterIPs)) {
      delete spec.clusterIP;
      delete spec.clusterIPs;
    }
    if (sameList(old.ipFamilies, spec.ipFamilies)) delete spec.ipFamilies;
    if (old.ipFamilyPolicy === spec.ipFamilyPolicy) delete spec.ipFamilyPolicy;
  }
  const oldPorts = new Set((old.ports ?? []).map(({ nodePort }) => nodePort));
  if (
    hasNodePorts(old) &&
    !hasNodePorts(now) &&
    spec.ports?.every(({ nodePort }) => !nodePort || oldPorts.has(nodePort))
  )
    for (const port of spec.ports) delete port.nodePort;
  if (needsHealthCheck(old) && !needsHealthCheck(now) && old.healthCheckNodePort === spec.healthCheckNodePort)
    delete spec.healthCheckNodePort;
  if (old.type === 'LoadBalancer' && spec.type !== 'LoadBalancer') {
    if (old.allocateLoadBalancerNodePorts === spec.allocateLoadBalancerNodePorts)
      delete spec.allocateLoadBalancerNodePorts;
    if (old.loadBalancerClass === spec.loadBalancerClass) delete spec.loadBalancerClass;
  }
  if (
    isExternallyAccessible(old) &&
    !isExternallyAccessible(now) &&
    old.externalTrafficPolicy === spec.externalTrafficPolicy
  )
    delete spec.externalTrafficPolicy;
}

function serviceWarnings(service: Service): string[] {
  const spec = specOf(service);
  const { externalIPs = [], clusterIPs = [] } = spec;
  const warnings: string[] = [];
  if (service.metadata.annotations?.[topologyHints] !== undefined)
    warnings.push(`annotation ${topologyHints} is deprecated, please use ${topologyMode} instead`);
  const headless = spec.type === 'ClusterIP' && spec.clusterIP === 'None';
  if (spec.clusterIP && spec.clusterIP !== 'None')
    for (const [i, ip] of clusterIPs.entries()) warnings.push(...ipWarnings(ip, path.child('clusterIPs').index(i)));
  if (headless) {
    if (spec.loadBalancerIP) warnings.push('spec.loadBalancerIP is ignored for headless services');
    if (externalIPs.length > 0) warnings.push('spec.externalIPs is ignored for headless services');
    if (spec.sessionAffinity !== 'None') warnings.push('spec.SessionAffinity is ignored for headless services');
  }
  for (const [i, ip] of externalIPs.entries()) warnings.push(...ipWarnings(ip, path.child('externalIPs').index(i)));
  const isName = spec.type === 'ExternalName';
  if (externalIPs.length > 0 && !headless && !isName)
    warnings.push('spec.externalIPs is deprecated and may no longer be implemented in some clusters');
  if (spec.loadBalancerIP) warnings.push(...ipWarnings(spec.loadBalancerIP, path.child('loadBalancerIP')));
  for (const [i, range] of (spec.loadBalancerSourceRanges ?? []).entries())
    warnings.push(...cidrWarnings(range, path.child('loadBalancerSourceRanges').index(i)));
  if (isName && externalIPs.length > 0)
    warnings.push(`spec.externalIPs is ignored when spec.type is ${quoteGo('ExternalName')}`);
  if (!isName && spec.externalName)
    warnings.push(`spec.externalName is ignored when spec.type is not ${quoteGo('ExternalName')}`);
  if (spec.trafficDistribution === 'PreferClose')
    warnings.push('spec.trafficDistribution: "PreferClose" is deprecated; use "PreferSameZone"');
  return warnings;
}

/** Addresses of load balancers, in order. */
export function formatIngress(ingress: readonly Pick<LoadBalancerIngress, 'ip' | 'hostname'>[] | undefined): string {
  const addresses = (ingress ?? []).flatMap(({ ip, hostname }) => ip || hostname || []);
  return [...new Set(addresses)].sort().join(',');
}

function externalIp(service: Service): string {
  const { type, externalIPs = [], externalName = '' } = specOf(service);
  if (type === 'ClusterIP' || type === 'NodePort') return externalIPs.join(',') || '<none>';
  if (type === 'ExternalName') return externalName;
  if (type !== 'LoadBalancer') return '<unknown>';
  const balanced = formatIngress(service.status?.loadBalancer?.ingress);
  return [...(balanced === '' ? [] : [balanced]), ...externalIPs].join(',') || '<pending>';
}

export const serviceStrategy: KindStrategy<Service> = {
  validateName: nameIsDnsLabel,
  default: defaultService,
  allocate(service, old, context) {
    const network = context.serviceNetwork?.();
    return network ? allocateService(service, old, network) : [];
  },
  prepareForCreate(service) {
    service.status = { loadBalancer: {} };
  },
  prepareForUpdate(service, old) {
    keepStatus(service, old);
    if (service.spec) dropTypeDependentFields(service.spec, specOf(old));
    if (service.spec?.type !== 'LoadBalancer' && service.status)
      service.status = { ...service.status, loadBalancer: {} };
  },
  validateCreate: (service) => validateService(service),
  validateUpdate: validateServiceUpdate,
  subresources: {
    status: {
      prepareForUpdate: (service, old) => setField(service, 'spec', old.spec),
      validateUpdate: (service, old) =>
        validateLoadBalancerStatus(
          service.status?.loadBalancer ?? {},
          old.status?.loadBalancer ?? {},
          service.spec?.type,
        ),
    },
  },
  warnings: serviceWarnings,
  selectableFields: ['spec.clusterIP', 'spec.type'],
  fields: ({ spec }) => ({ 'spec.clusterIP': spec?.clusterIP ?? '', 'spec.type': spec?.type ?? '' }),
  table: {
    columns: serviceColumns,
    row(service, context) {
      const { type = '', clusterIPs = [], ports = [], selector } = specOf(service);
      const portTexts = ports.map(({ port, nodePort, protocol }) =>
        nodePort ? `${port}:${nodePort}/${protocol}` : `${port}/${protocol}`,
      );
      return [
        nameOf(service),
        type,
        clusterIPs[0] ?? '<none>',
        externalIp(service),
        portTexts.join(',') || '<none>',
        ageOf(service, context),
        formatLabels(selector),
      ];
    },
  },
  allowCreateOnUpdate: true,
  returnDeletedObject: true,
};
