import type { EndpointSlice, Service } from '@tektite/schema/kubernetes';

/** A port of a Service that can be listened on. */
export interface ProxiedPort {
  /** `namespace/name`. */
  readonly service: string;
  readonly address: string;
  readonly port: number;
  /** Ties it to the ports of endpoints. */
  readonly name: string;
  readonly protocol: 'TCP' | 'UDP';
  /** How long a client stays with the endpoint that it was given first. Absent: not at all. */
  readonly affinityMs?: number;
}

const defaultAffinitySeconds = 10_800;

/** The TCP ports of a Service that has addresses of the loopback network. */
export function proxiedPorts({ metadata, spec }: Service): readonly ProxiedPort[] {
  const service = `${metadata.namespace}/${metadata.name}`;
  const addresses = (spec?.clusterIPs ?? []).filter((address) => address.startsWith('127.'));
  return addresses.flatMap((address) =>
    (spec?.ports ?? [])
      .filter(({ protocol = 'TCP' }) => protocol === 'TCP')
      .map(({ port, name = '' }) => ({ service, address, port, name, protocol: 'TCP' })),
  );
}

/** The ports of a Service where Pods have a network: of its addresses there, and its node ports on the machine. */
export function networkPorts({ metadata, spec }: Service): readonly ProxiedPort[] {
  const service = `${metadata.namespace}/${metadata.name}`;
  const { sessionAffinity, sessionAffinityConfig, clusterIPs = [], type } = spec ?? {};
  const seconds = sessionAffinityConfig?.clientIP?.timeoutSeconds ?? defaultAffinitySeconds;
  const affinity = sessionAffinity === 'ClientIP' ? { affinityMs: seconds * 1000 } : {};
  const isExposed = type === 'NodePort' || type === 'LoadBalancer';
  return (spec?.ports ?? []).flatMap(({ port, name = '', nodePort, protocol = 'TCP' }) => {
    if (protocol !== 'TCP' && protocol !== 'UDP') return [];
    const common = { service, name, protocol, ...affinity } as const;
    const cluster = clusterIPs
      .filter((address) => address !== 'None' && !address.includes(':') && !address.startsWith('127.'))
      .map((address) => ({ ...common, address, port }));
    if (!isExposed || !nodePort) return cluster;
    return [...cluster, { ...common, address: '0.0.0.0', port: nodePort }];
  });
}

/** Where a Pod listens. */
export interface Endpoint {
  readonly address: string;
  readonly port: number;
}

/** The endpoints behind a port that are ready. */
export function readyEndpoints(slices: readonly EndpointSlice[], { name }: ProxiedPort): readonly Endpoint[] {
  return slices.flatMap(({ addressType, ports, endpoints }) => {
    // A name could lead to what only this process reaches; kube-proxy takes none either.
    if (addressType === 'FQDN') return [];
    const port = (ports ?? []).find((each) => (each.name ?? '') === name)?.port;
    // The API takes any number here, and no connection does.
    if (port === undefined || !(port >= 1 && port <= 65535)) return [];
    return (endpoints ?? [])
      .filter(({ conditions }) => conditions?.ready !== false)
      .flatMap(({ addresses }) => (addresses ?? []).map((address) => ({ address, port })));
  });
}
