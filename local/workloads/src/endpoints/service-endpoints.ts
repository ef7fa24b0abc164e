import { labelSelectorOf } from '@tektite/meta';
import type { Pod, Service } from '@tektite/schema/kubernetes';
import { isReady } from '../pods/pod-state.ts';

/** A port of a Service on one Pod. */
export interface EndpointPort {
  readonly name?: string;
  readonly port: number;
  readonly protocol: string;
  readonly appProtocol?: string;
}

/** A Pod behind a Service. */
export interface ServiceEndpoint {
  readonly pod: Pod;
  readonly address: string;
  readonly ready: boolean;
  readonly serving: boolean;
  readonly terminating: boolean;
  readonly hostname: string | undefined;
  readonly ports: readonly EndpointPort[];
}

export type AddressType = 'IPv4' | 'IPv6';

export function addressTypes({ spec }: Service): readonly AddressType[] {
  const families = (spec?.ipFamilies ?? []).filter((family) => family === 'IPv4' || family === 'IPv6');
  return families.length > 0 ? families : ['IPv4'];
}

/** The Pods that a Service sends to, in the order of their names. */
export function serviceEndpoints(
  service: Service,
  pods: readonly Pod[],
  type: AddressType,
): readonly ServiceEndpoint[] {
  const { matches } = labelSelectorOf({ matchLabels: service.spec?.selector ?? {} });
  const endpoints: ServiceEndpoint[] = [];
  for (const pod of pods) {
    if (!matches(pod.metadata.labels) || pod.status?.phase === 'Succeeded' || pod.status?.phase === 'Failed') continue;
    const address = addressOf(pod, type);
    if (address === undefined) continue;
    const terminating = pod.metadata.deletionTimestamp !== undefined;
    const serving = isReady(pod);
    const ready = service.spec?.publishNotReadyAddresses === true || (serving && !terminating);
    endpoints.push({
      pod,
      address,
      ready,
      serving,
      terminating,
      hostname: hostnameOf(service, pod),
      ports: portsOf(service, pod),
    });
  }
  return endpoints.sort((a, b) => compare(a.pod.metadata.name, b.pod.metadata.name));
}

function compare(a = '', b = ''): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

function addressOf({ status }: Pod, type: AddressType): string | undefined {
  const addresses = [...(status?.podIPs ?? []).map(({ ip }) => ip), ...(status?.podIP ? [status.podIP] : [])];
  return addresses.find((address) => address.includes(':') === (type === 'IPv6'));
}

function hostnameOf({ metadata }: Service, { metadata: own, spec }: Pod): string | undefined {
  const matches = spec?.subdomain === metadata.name && own.namespace === metadata.namespace;
  return spec?.hostname && matches ? spec.hostname : undefined;
}

function portsOf({ spec }: Service, pod: Pod): readonly EndpointPort[] {
  const ports: EndpointPort[] = [];
  for (const { name, port, targetPort = port, protocol = 'TCP', appProtocol } of spec?.ports ?? []) {
    const number = typeof targetPort === 'number' ? targetPort : namedPort(pod, targetPort, protocol);
    if (number === undefined) continue;
    ports.push({ ...(name ? { name } : {}), port: number, protocol, ...(appProtocol ? { appProtocol } : {}) });
  }
  return ports;
}

function namedPort({ spec }: Pod, name: string, protocol: string): number | undefined {
  const sidecars = (spec?.initContainers ?? []).filter(({ restartPolicy }) => restartPolicy === 'Always');
  for (const { ports = [] } of [...(spec?.containers ?? []), ...sidecars])
    for (const port of ports)
      if (port.name === name && (port.protocol ?? 'TCP') === protocol) return port.containerPort;
  return undefined;
}

/** Endpoints with the same ports belong together. */
export function byPorts(endpoints: readonly ServiceEndpoint[]): readonly (readonly ServiceEndpoint[])[] {
  const groups = new Map<string, ServiceEndpoint[]>();
  for (const endpoint of endpoints) {
    const key = JSON.stringify(endpoint.ports);
    groups.set(key, [...(groups.get(key) ?? []), endpoint]);
  }
  return [...groups.values()];
}
