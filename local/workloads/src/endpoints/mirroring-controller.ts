import { type Client, ignoreNotFound, kinds } from '@tektite/client';
import { type ControllerDefinition, defineController, mapped } from '@tektite/controller';
import type { EndpointSlice, Service } from '@tektite/schema/kubernetes';
import { managedByLabel, serviceNameLabel } from './endpoint-slices.ts';
import { isMirrored, mirrorChanges, mirroredBy } from './mirrored-slices.ts';

const serviceKeys = ({ metadata }: EndpointSlice): string[] => [
  `${metadata.namespace}/${metadata.labels?.[serviceNameLabel] ?? ''}`,
];

/** Whether the Endpoints of a Service are made by the endpoints controller, from the Pods that it selects. */
function isSelecting({ spec }: Service): boolean {
  return Object.keys(spec?.selector ?? {}).length > 0;
}

/**
 * Makes EndpointSlices of Endpoints that a user manages for a Service without a selector, so that readers of slices see
 * them. The slices are deleted with the Endpoints or the Service, and when the Service gets a selector.
 */
export function endpointSliceMirroringController(): ControllerDefinition {
  const services = mapped(kinds.Service, ({ metadata }) => [`${metadata.namespace}/${metadata.name}`]);
  const slices = mapped(kinds.EndpointSlice, serviceKeys, {
    labelSelector: `${managedByLabel}=${mirroredBy}`,
    indexes: { service: serviceKeys },
  });
  return defineController({
    name: 'endpointslicemirroring',
    kind: kinds.Endpoints,
    sources: [services, slices],
    gone: (key, { cache, client }) => deleteSlices(client, cache(slices).byIndex('service', key)),
    async reconcile(endpoints, { cache, client, key }) {
      const service = cache(services).get(key);
      const existing = cache(slices).byIndex('service', key);
      if (!service || isSelecting(service) || !isMirrored(endpoints)) return deleteSlices(client, existing);
      const changes = mirrorChanges(endpoints, existing);
      for (const slice of changes.create) await client.create(kinds.EndpointSlice, slice);
      for (const slice of changes.update) await client.update(kinds.EndpointSlice, slice);
      await deleteSlices(client, changes.delete);
    },
  });
}

async function deleteSlices(client: Client, slices: readonly EndpointSlice[]): Promise<void> {
  for (const { metadata } of slices) {
    const { namespace = '', name = '' } = metadata;
    await client.delete(kinds.EndpointSlice, { namespace, name }).catch(ignoreNotFound);
  }
}
