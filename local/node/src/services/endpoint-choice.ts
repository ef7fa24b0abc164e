import type { Random } from '@tektite/meta';
import type { EndpointSlice, Service } from '@tektite/schema/kubernetes';

/** A port of a Service that can be listened on. */
export interface ProxiedPort {
  /** `namespace/name`. */
  readonly service: string;
  readonly address: string;
  readonly port: number;
  /** Ties it to the ports of endpoints. */
  readonly name: string;
}

/** The TCP ports of a Service that has addresses of the loopback network. */
export function proxiedPorts({ metadata, spec }: Service): readonly ProxiedPort[] {
  const service = `${metadata.namespace}/${metadata.name}`;
  const addresses = (spec?.clusterIPs ?? []).filter((address) => address.startsWith('127.'));
  return addresses.flatMap((address) =>
    (spec?.ports ?? [])
      .filter(({ protocol = 'TCP' }) => protocol === 'TCP')
      .map(({ port, name = '' }) => ({ service, address, port, name })),
  );
}

/** One of the endpoints that are ready, by chance. */
export function chooseEndpoint(
  slices: readonly EndpointSlice[],
  { name }: ProxiedPort,
  random: Random,
): { readonly address: string; readonly port: number } | undefined {
  const ready = slices.flatMap(({ ports, endpoints }) => {
    const port = (ports ?? []).find((each) => (each.name ?? '') === name)?.port;
    if (port === undefined) return [];
    return (endpoints ?? [])
      .filter(({ conditions }) => conditions?.ready !== false)
      .flatMap(({ addresses }) => (addresses ?? []).map((address) => ({ address, port })));
  });
  return ready[Math.floor(random.next() * ready.length)];
}
