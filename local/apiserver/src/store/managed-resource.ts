import { emptySet, setOf } from '../apply/field-set.ts';
import type { ManagedResource } from '../apply/field-manager.ts';
import type { Resource } from '../registry/resource.ts';

const cache = new WeakMap<Resource, Map<string, ManagedResource>>();

const status = setOf(['f:status']);
const allButStatus = setOf(['f:spec'], ['f:metadata']);
const spec = setOf(['f:spec']);
const specAndStatus = setOf(['f:spec'], ['f:status']);
const specAndLabels = setOf(['f:spec'], ['f:metadata', 'f:labels']);

/** The resource as field managers see it through one of its paths. */
export function managedResource(resource: Resource, subresource: string): ManagedResource {
  let paths = cache.get(resource);
  if (!paths) cache.set(resource, (paths = new Map()));
  let managed = paths.get(subresource);
  if (!managed) {
    const { group, version, schema, emptyObject: empty } = resource;
    paths.set(
      subresource,
      (managed = { group, version, schema, subresource, ignored: ignoredFields(resource, subresource), empty }),
    );
  }
  return managed;
}

function ignoredFields(resource: Resource, subresource: string): ManagedResource['ignored'] {
  if (resource.group === 'certificates.k8s.io' && resource.plural === 'certificatesigningrequests')
    return specAndStatus;
  if (subresource === '') return resource.hasStatus ? status : emptySet;
  if (subresource === 'finalize') return status;
  if (subresource !== 'status') return emptySet;
  if (resource.custom) return allButStatus;
  return resource.group === 'apps' && resource.plural === 'deployments' ? specAndLabels : spec;
}
