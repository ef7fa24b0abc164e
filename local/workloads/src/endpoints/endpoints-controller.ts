import { type Client, kinds, ignoreNotFound } from '@tektite/client';
import { type ControllerDefinition, defineController, mapped, type SourceTarget } from '@tektite/controller';
import { equalJson, isStatusError } from '@tektite/meta';
import type { Endpoints, Pod, Service } from '@tektite/schema/kubernetes';
import { isReady } from '../pods/pod-state.ts';
import {
  endpointsLabels,
  endpointsSubsets,
  managedBy as endpointsManager,
  managedByLabel as endpointsManagerLabel,
} from './endpoints-object.ts';
import { managedBy, managedByLabel, type SliceChange, serviceNameLabel, sliceChanges } from './endpoint-slices.ts';
import { addressTypes, type ServiceEndpoint, serviceEndpoints } from './service-endpoints.ts';

/** Of a Pod, what a Service has to know. */
function seenByServices({ metadata, spec, status }: Pod): unknown {
  return [metadata.labels, metadata.deletionTimestamp, status?.podIPs, status?.podIP, status?.phase, spec?.nodeName];
}

function servicesNear({ metadata }: Pod, own: SourceTarget): string[] {
  const prefix = `${metadata.namespace}/`;
  return [...own.keys()].filter((key) => key.startsWith(prefix));
}

/** Says where the Pods behind Services are: in EndpointSlices, and in Endpoints for those who still read them. */
export function endpointsController(): ControllerDefinition {
  const pods = mapped(kinds.Pod, servicesNear, {
    predicate: (change) =>
      change.type !== 'modified' ||
      isReady(change.object) !== isReady(change.before) ||
      !equalJson(seenByServices(change.object), seenByServices(change.before)),
  });
  const slices = mapped(
    kinds.EndpointSlice,
    ({ metadata }) => [`${metadata.namespace}/${metadata.labels?.[serviceNameLabel] ?? ''}`],
    { labelSelector: `${managedByLabel}=${managedBy}` },
  );
  const endpoints = mapped(kinds.Endpoints, ({ metadata }) => [`${metadata.namespace}/${metadata.name}`]);
  return defineController({
    name: 'endpoints',
    kind: kinds.Service,
    sources: [pods, slices, endpoints],
    async gone(key, { cache, client, namespace = '', name }) {
      const left = cache(endpoints).get(key);
      if (left?.metadata.labels?.[endpointsManagerLabel] !== endpointsManager) return;
      await unlessDeleted(client.delete(kinds.Endpoints, { namespace, name }));
    },
    async reconcile(service, { cache, client, key, namespace = '' }) {
      const { selector, type } = service.spec ?? {};
      // Endpoints of a Service without a selector are managed by another component.
      if (!selector || Object.keys(selector).length === 0 || type === 'ExternalName') return;
      if (service.metadata.deletionTimestamp !== undefined) return;
      const near = cache(pods).list(namespace);
      const mine = cache(slices).ownedBy(service);
      for (const change of sliceChanges(service, mine, (family) => serviceEndpoints(service, near, family)))
        await writeSlice(client, change);
      const [family = 'IPv4'] = addressTypes(service);
      await writeEndpoints(client, service, cache(endpoints).get(key), serviceEndpoints(service, near, family));
    },
  });
}

async function writeSlice(client: Client, change: SliceChange): Promise<void> {
  const { namespace = '', name = '' } = change.slice.metadata;
  switch (change.type) {
    case 'create':
      await unlessEnding(client.create(kinds.EndpointSlice, change.slice));
      return;
    case 'update':
      await client.update(kinds.EndpointSlice, change.slice);
      return;
    case 'delete':
      await unlessDeleted(client.delete(kinds.EndpointSlice, { namespace, name }));
  }
}

async function writeEndpoints(
  client: Client,
  service: Service,
  existing: Endpoints | undefined,
  endpoints: readonly ServiceEndpoint[],
): Promise<void> {
  const subsets = endpointsSubsets(endpoints);
  const labels = endpointsLabels(service);
  const { namespace = '', name = '' } = service.metadata;
  const content = subsets.length > 0 ? { subsets } : {};
  if (!existing)
    return unlessEnding(client.create(kinds.Endpoints, { metadata: { namespace, name, labels }, ...content }));
  if (equalJson(existing.subsets ?? [], subsets) && equalJson(existing.metadata.labels, labels)) return;
  const { subsets: _, ...rest } = existing;
  await client.update(kinds.Endpoints, { ...rest, metadata: { ...existing.metadata, labels }, ...content });
}

async function unlessDeleted(write: Promise<unknown>): Promise<void> {
  await write.catch(ignoreNotFound);
}

/** A namespace that goes takes nothing new, and needs nothing. */
async function unlessEnding(write: Promise<unknown>): Promise<void> {
  await write.catch((error: unknown) => {
    if (!(isStatusError(error, 'Forbidden') && /being terminated/.test(error.message))) throw error;
  });
}
