import type { Endpoints, Service } from '@tektite/schema/kubernetes';
import { byPorts, type ServiceEndpoint } from './service-endpoints.ts';

export const managedByLabel = 'endpoints.kubernetes.io/managed-by';
export const managedBy = 'endpoint-controller';
const headlessLabel = 'service.kubernetes.io/headless';

type Subset = NonNullable<Endpoints['subsets']>[number];

function addressOf({ address, pod, hostname }: ServiceEndpoint): NonNullable<Subset['addresses']>[number] {
  const { namespace, name, uid } = pod.metadata;
  return {
    ip: address,
    ...(hostname ? { hostname } : {}),
    ...(pod.spec?.nodeName ? { nodeName: pod.spec.nodeName } : {}),
    targetRef: { kind: 'Pod', ...(namespace ? { namespace } : {}), ...(name ? { name } : {}), ...(uid ? { uid } : {}) },
  };
}

/** The older form: all addresses in one object. Pods on their way out are left out, as upstream does. */
export function endpointsSubsets(endpoints: readonly ServiceEndpoint[]): readonly Subset[] {
  const present = endpoints.filter(({ terminating, ready }) => !terminating || ready);
  return byPorts(present).map((group) => {
    const ready = group.filter((endpoint) => endpoint.ready).map(addressOf);
    const others = group.filter((endpoint) => !endpoint.ready).map(addressOf);
    const ports = group[0]?.ports ?? [];
    return {
      ...(ready.length > 0 ? { addresses: ready } : {}),
      ...(others.length > 0 ? { notReadyAddresses: others } : {}),
      ...(ports.length > 0 ? { ports } : {}),
    };
  });
}

export function endpointsLabels({ metadata, spec }: Service): Readonly<Record<string, string>> {
  const { [headlessLabel]: _, ...own } = metadata.labels ?? {};
  return { ...own, [managedByLabel]: managedBy, ...(spec?.clusterIP === 'None' ? { [headlessLabel]: '' } : {}) };
}
