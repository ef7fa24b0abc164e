import type { Mutable } from '@tektite/meta';
import type { Binding, Pod } from '@tektite/schema/kubernetes';
import type { Draft } from '../../registry/resource.ts';
import type { Storage } from '../../storage/storage.ts';
import { type AdmissionPlugin, isResource } from '../admission.ts';

const topologyLabels = ['topology.kubernetes.io/zone', 'topology.kubernetes.io/region'];

/** Copies the zone and the region of its node to the labels of a Pod when it is bound. */
export function podTopologyLabels(storage: Storage): AdmissionPlugin {
  return {
    name: 'PodTopologyLabels',
    mutate(request) {
      if (!isResource(request, '', 'pods') || !request.object) return;
      if (request.operation !== 'CREATE' && request.operation !== 'UPDATE') return;
      const node = nodeOf(request.object, request.subresource);
      if (!node) return;
      const labels = storage.latest(`/registry/nodes/${node}`)?.value.metadata.labels ?? {};
      const found = topologyLabels.filter((name) => labels[name] !== undefined);
      if (found.length === 0) return;
      const metadata = request.object.metadata as Mutable<Draft['metadata']>;
      metadata.labels = {
        ...metadata.labels,
        ...Object.fromEntries(found.map((name) => [name, labels[name] as string])),
      };
    },
  };
}

function nodeOf(object: Draft, subresource: string): string | undefined {
  if (subresource === '') return (object as Pod).spec?.nodeName;
  if (subresource !== 'binding') return undefined;
  const { target } = object as unknown as Binding;
  return target?.kind === 'Node' ? target.name : undefined;
}
