import { cloneJson, conflictError } from '@tektite/meta';
import type { ObjectStore } from './object-store.ts';
import type { Draft, Resource } from '../registry/resource.ts';
import type { WriteUsage } from '../admission/plugins/resource-quota/resource-quota.ts';

/** Writes usage through the store, as the API server itself. */
export function usageWriter(objects: () => ObjectStore, quotas: () => Resource): WriteUsage {
  return async (quota, used) => {
    const { namespace = '', name = '', resourceVersion } = quota.metadata;
    await objects().update(
      quotas(),
      {
        namespace,
        name,
        subresource: 'status',
        change(old) {
          if (old?.metadata.resourceVersion !== resourceVersion)
            throw conflictError({ group: '', resource: 'resourcequotas' }, name);
          const draft = cloneJson(old) as Draft;
          draft.status = { ...(draft.status as object), used };
          return draft;
        },
      },
      {
        user: { name: 'system:apiserver', groups: ['system:masters'] },
        fieldManager: 'kube-apiserver',
        dryRun: false,
        options: { kind: 'UpdateOptions', apiVersion: 'meta.k8s.io/v1' },
        warn: () => {},
      },
    );
  };
}
