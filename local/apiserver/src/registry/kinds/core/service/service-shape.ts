import type { Service, ServiceSpec } from '@tektite/schema/kubernetes';

/** Questions about a Service that several of its rules ask. */

export const specOf = (service: Service): ServiceSpec => service.spec ?? {};

/** A headless Service: clients connect to the Pods. */
export const isHeadless = ({ clusterIPs }: ServiceSpec): boolean =>
  clusterIPs?.length === 1 && clusterIPs[0] === 'None';

export const needsClusterIp = ({ type }: ServiceSpec): boolean => type !== 'ExternalName';

export const hasNodePorts = ({ type }: ServiceSpec): boolean => type === 'NodePort' || type === 'LoadBalancer';

/** Whether traffic from outside of the cluster can reach it. */
export const isExternallyAccessible = (spec: ServiceSpec): boolean =>
  hasNodePorts(spec) || (spec.type === 'ClusterIP' && (spec.externalIPs?.length ?? 0) > 0);

/** Whether a load balancer asks nodes if they have endpoints. */
export const needsHealthCheck = ({ type, externalTrafficPolicy }: ServiceSpec): boolean =>
  type === 'LoadBalancer' && externalTrafficPolicy === 'Local';

export const sameList = (a: readonly unknown[] = [], b: readonly unknown[] = []): boolean =>
  a.length === b.length && a.every((item, i) => item === b[i]);
