import type { KubeObject, Random } from '@tektite/meta';
import type { Endpoints, EndpointSlice, Service } from '@tektite/schema/kubernetes';
import type { Storage } from '../../storage/storage.ts';

/** Where a connection goes. */
export interface Endpoint {
  readonly host: string;
  readonly port: number;
}

const serviceLabel = 'kubernetes.io/service-name';

/** A Service has no ready endpoint. */
export class NoEndpointError extends Error {
  override readonly name = 'NoEndpointError';
}

/** A Service, and which of its ports is meant. */
export interface ServicePort {
  readonly namespace: string;
  readonly name: string;
  readonly port?: number;
}

/**
 * Finds one who answers for a Service. Cluster addresses are not routed here, so one of the Service's endpoints is called
 * itself. Throws a {@link NoEndpointError}, in upstream's words, when there is none.
 */
export function findServiceEndpoint(storage: Storage, random: Random, service: ServicePort): Endpoint {
  const found = serviceEndpoints(storage, service);
  return found[Math.floor(random.next() * found.length)] as Endpoint;
}

/** All who answer for a Service. Throws a {@link NoEndpointError} when there is none. */
export function serviceEndpoints(storage: Storage, { namespace, name, port = 443 }: ServicePort): readonly Endpoint[] {
  const service = storage.get(`/registry/services/${namespace}/${name}`);
  if (!service) throw new NoEndpointError(`service "${name}" not found`);
  const { spec } = service.value as Service;
  if (spec?.type === 'ExternalName') return [{ host: spec.externalName ?? '', port }];
  const ports = spec?.ports ?? [];
  const wanted = ports.find((candidate) => candidate.port === port);
  if (!wanted) throw new NoEndpointError(`no service port ${port} found for service "${name}"`);
  const found = [
    ...sliceEndpoints(storage, namespace, name, wanted.name),
    ...ownEndpoints(storage, namespace, name, wanted.name),
  ];
  if (found.length === 0) throw new NoEndpointError(`no endpoints available for service "${name}"`);
  return found;
}

function* sliceEndpoints(storage: Storage, namespace: string, name: string, portName = ''): Generator<Endpoint> {
  const isOurs = (value: KubeObject) => value.metadata.labels?.[serviceLabel] === name;
  for (const { value } of storage.list(`/registry/endpointslices/${namespace}/`, { filter: isOurs }).entries) {
    const { addressType, ports, endpoints } = value as EndpointSlice;
    // A name could lead to what only this process reaches; upstream calls addresses alone.
    if (addressType === 'FQDN') continue;
    const port = ports?.find((candidate) => (candidate.name ?? '') === portName)?.port;
    if (port === undefined) continue;
    for (const { addresses, conditions } of endpoints ?? []) {
      if (conditions?.ready === false) continue;
      for (const host of addresses ?? []) yield { host, port };
    }
  }
}

function* ownEndpoints(storage: Storage, namespace: string, name: string, portName = ''): Generator<Endpoint> {
  const entry = storage.get(`/registry/endpoints/${namespace}/${name}`);
  for (const { ports, addresses } of (entry?.value as Endpoints | undefined)?.subsets ?? []) {
    const port = ports?.find((candidate) => (candidate.name ?? '') === portName)?.port;
    if (port === undefined) continue;
    for (const { ip } of addresses ?? []) yield { host: ip, port };
  }
}
