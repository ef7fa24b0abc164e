import type { NewObject } from '@tektite/client';
import { controllerReference, equalJson } from '@tektite/meta';
import type { Endpoints, EndpointSlice } from '@tektite/schema/kubernetes';
import { managedByLabel, serviceNameLabel } from './endpoint-slices.ts';

export const mirroredBy = 'endpointslicemirroring-controller.k8s.io';
const skipLabel = 'endpointslice.kubernetes.io/skip-mirror';
const leaderAnnotation = 'control-plane.alpha.kubernetes.io/leader';
/** Annotations of Endpoints that mean nothing on a slice. */
const notCopied = new Set([
  'kubectl.kubernetes.io/last-applied-configuration',
  'endpoints.kubernetes.io/last-change-trigger-time',
]);
/** Upstream mirrors no more addresses of a subset, ready ones first. */
const maxEndpoints = 1000;

export interface MirrorChanges {
  readonly create: readonly NewObject<EndpointSlice>[];
  readonly update: readonly EndpointSlice[];
  readonly delete: readonly EndpointSlice[];
}

/** Whether Endpoints ask for slices. Locks of leader election and those that opt out do not. */
export function isMirrored({ metadata }: Endpoints): boolean {
  return metadata.labels?.[skipLabel] !== 'true' && metadata.annotations?.[leaderAnnotation] === undefined;
}

type Subset = NonNullable<Endpoints['subsets']>[number];
type Address = NonNullable<Subset['addresses']>[number];
type Content = Required<Pick<EndpointSlice, 'addressType' | 'ports' | 'endpoints'>>;

/** The writes that make slices of Endpoints that a user manages. Slices that are right are not touched. */
export function mirrorChanges(endpoints: Endpoints, existing: readonly EndpointSlice[]): MirrorChanges {
  const metadata = sliceMetadata(endpoints);
  const free = [...existing];
  const missing: Content[] = [];
  for (const content of (endpoints.subsets ?? []).flatMap(contentsOf)) {
    const index = free.findIndex(
      (slice) => isContent(slice, content) && equalJson(slice.metadata.labels, metadata.labels),
    );
    if (index >= 0) free.splice(index, 1);
    else missing.push(content);
  }
  const create: NewObject<EndpointSlice>[] = [];
  const update: EndpointSlice[] = [];
  for (const content of missing) {
    const index = free.findIndex(({ addressType }) => addressType === content.addressType);
    const [slice] = index >= 0 ? free.splice(index, 1) : [];
    if (slice) update.push({ ...slice, ...content, metadata: { ...slice.metadata, ...metadata } });
    else create.push(newSlice(endpoints, metadata, content));
  }
  return { create, update, delete: free };
}

function isContent(slice: EndpointSlice, { addressType, ports, endpoints }: Content): boolean {
  return (
    slice.addressType === addressType &&
    equalJson(slice.ports ?? [], ports) &&
    equalJson(slice.endpoints ?? [], endpoints)
  );
}

/** One slice for each family of addresses in a subset. */
function contentsOf({ addresses = [], notReadyAddresses = [], ports = [] }: Subset): Content[] {
  const all = [
    ...addresses.map((address) => endpointOf(address, true)),
    ...notReadyAddresses.map((address) => endpointOf(address, false)),
  ].slice(0, maxEndpoints);
  return (['IPv4', 'IPv6'] as const).flatMap((addressType) => {
    const endpoints = all.filter(({ addresses: [ip = ''] }) => ip.includes(':') === (addressType === 'IPv6'));
    if (endpoints.length === 0) return [];
    return [{ addressType, ports: ports.map((port) => ({ name: '', protocol: 'TCP', ...port })), endpoints }];
  });
}

function endpointOf({ ip, hostname, nodeName, targetRef }: Address, ready: boolean) {
  return {
    addresses: [ip],
    conditions: { ready },
    ...(hostname ? { hostname } : {}),
    ...(targetRef ? { targetRef } : {}),
    ...(nodeName ? { nodeName } : {}),
  };
}

interface SliceMetadata {
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
}

function sliceMetadata({ metadata }: Endpoints): SliceMetadata {
  const annotations = Object.entries(metadata.annotations ?? {}).filter(([key]) => !notCopied.has(key));
  return {
    labels: { ...metadata.labels, [serviceNameLabel]: metadata.name ?? '', [managedByLabel]: mirroredBy },
    ...(annotations.length > 0 ? { annotations: Object.fromEntries(annotations) } : {}),
  };
}

function newSlice(endpoints: Endpoints, metadata: SliceMetadata, content: Content): NewObject<EndpointSlice> {
  const { namespace = '', name = '' } = endpoints.metadata;
  const owner = { ...endpoints, apiVersion: 'v1', kind: 'Endpoints' };
  return {
    metadata: { namespace, generateName: `${name}-`, ...metadata, ownerReferences: [controllerReference(owner)] },
    ...content,
  };
}
