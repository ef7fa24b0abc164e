import type { NewObject } from '@tektite/client';
import { controllerReference, equalJson } from '@tektite/meta';
import type { EndpointSlice, Service } from '@tektite/schema/kubernetes';
import { type AddressType, addressTypes, byPorts, type ServiceEndpoint } from './service-endpoints.ts';

export const serviceNameLabel = 'kubernetes.io/service-name';
export const managedByLabel = 'endpointslice.kubernetes.io/managed-by';
export const managedBy = 'endpointslice-controller.k8s.io';
const headlessLabel = 'service.kubernetes.io/headless';
const maxEndpoints = 100;

export type SliceChange =
  | { readonly type: 'create'; readonly slice: NewObject<EndpointSlice> }
  | { readonly type: 'update'; readonly slice: EndpointSlice }
  | { readonly type: 'delete'; readonly slice: EndpointSlice };

type Endpoint = NonNullable<EndpointSlice['endpoints']>[number];

function endpointOf({ pod, address, ready, serving, terminating, hostname }: ServiceEndpoint): Endpoint {
  const { namespace, name, uid } = pod.metadata;
  return {
    addresses: [address],
    conditions: { ready, serving, terminating },
    ...(hostname ? { hostname } : {}),
    targetRef: { kind: 'Pod', ...(namespace ? { namespace } : {}), ...(name ? { name } : {}), ...(uid ? { uid } : {}) },
    ...(pod.spec?.nodeName ? { nodeName: pod.spec.nodeName } : {}),
  };
}

export function sliceLabels({ metadata, spec }: Service): Readonly<Record<string, string>> {
  const { [serviceNameLabel]: _, [managedByLabel]: __, [headlessLabel]: ___, ...own } = metadata.labels ?? {};
  const headless: Record<string, string> = spec?.clusterIP === 'None' ? { [headlessLabel]: '' } : {};
  return { ...own, [managedByLabel]: managedBy, [serviceNameLabel]: metadata.name ?? '', ...headless };
}

/** The contents that the slices of a Service should have. One without endpoints still has a slice that says so. */
function wantedSlices(service: Service, type: AddressType, endpoints: readonly ServiceEndpoint[]) {
  const groups = byPorts(endpoints);
  const wanted = groups.flatMap((group) => {
    const ports = (group[0]?.ports ?? []).map((port) => ({ name: '', ...port }));
    const chunks = [];
    for (let start = 0; start < group.length; start += maxEndpoints)
      chunks.push({ addressType: type, ports, endpoints: group.slice(start, start + maxEndpoints).map(endpointOf) });
    return chunks;
  });
  if (wanted.length > 0 || addressTypes(service)[0] !== type) return wanted;
  return [{ addressType: type, ports: [] as EndpointSlice['ports'] & object, endpoints: [] as Endpoint[] }];
}

/**
 * Returns the writes that bring the slices in line with the Pods of a Service. Slices that are right are not touched.
 */
export function sliceChanges(
  service: Service,
  existing: readonly EndpointSlice[],
  endpointsOf: (type: AddressType) => readonly ServiceEndpoint[],
): readonly SliceChange[] {
  const labels = sliceLabels(service);
  const free = [...existing];
  const changes: SliceChange[] = [];
  const missing: ReturnType<typeof wantedSlices> = [];
  for (const content of addressTypes(service).flatMap((type) => wantedSlices(service, type, endpointsOf(type)))) {
    const index = free.findIndex(
      (slice) =>
        slice.addressType === content.addressType &&
        equalJson(slice.ports ?? [], content.ports) &&
        equalJson(slice.endpoints ?? [], content.endpoints) &&
        equalJson(slice.metadata.labels, labels),
    );
    if (index >= 0) free.splice(index, 1);
    else missing.push(content);
  }
  for (const content of missing) {
    const index = free.findIndex(({ addressType }) => addressType === content.addressType);
    const [slice] = index >= 0 ? free.splice(index, 1) : [];
    if (slice)
      changes.push({ type: 'update', slice: { ...slice, ...content, metadata: { ...slice.metadata, labels } } });
    else changes.push({ type: 'create', slice: newSlice(service, labels, content) });
  }
  return [...changes, ...free.map((slice): SliceChange => ({ type: 'delete', slice }))];
}

function newSlice(
  service: Service,
  labels: Readonly<Record<string, string>>,
  content: Pick<EndpointSlice, 'addressType' | 'ports' | 'endpoints'>,
): NewObject<EndpointSlice> {
  const { namespace = '', name = '' } = service.metadata;
  return {
    metadata: { namespace, generateName: `${name}-`, labels, ownerReferences: [controllerReference(service)] },
    ...content,
  };
}
