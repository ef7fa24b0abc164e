import { isStatusError } from '@tektite/meta';
import type { Storage } from '../storage/storage.ts';
import type { ObjectStore } from './object-store.ts';
import type { BootstrapObject } from '../registry/bootstrap-object.ts';
import { type Draft, storageKey } from '../registry/resource.ts';
import type { ResourceTable } from '../registry/resource-table.ts';

const namespace = (name: string): BootstrapObject => ({ apiVersion: 'v1', kind: 'Namespace', metadata: { name } });

/** Namespaces, the Service of the API server, and the two priority classes that upstream makes. */
const basics = (apiAddress: string): readonly BootstrapObject[] => [
  namespace('default'),
  namespace('kube-system'),
  namespace('kube-public'),
  namespace('kube-node-lease'),
  {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { name: 'kubernetes', namespace: 'default', labels: { component: 'apiserver', provider: 'kubernetes' } },
    spec: {
      type: 'ClusterIP',
      clusterIP: apiAddress,
      ports: [{ name: 'https', port: 443, targetPort: 6443, protocol: 'TCP' }],
    },
  },
  {
    apiVersion: 'scheduling.k8s.io/v1',
    kind: 'PriorityClass',
    metadata: { name: 'system-cluster-critical' },
    value: 2_000_000_000,
    description:
      'Used for system critical pods that must run in the cluster, but can be moved to another node if necessary.',
  },
  {
    apiVersion: 'scheduling.k8s.io/v1',
    kind: 'PriorityClass',
    metadata: { name: 'system-node-critical' },
    value: 2_000_001_000,
    description: 'Used for system critical pods that must not be moved from their current node.',
  },
];

/**
 * Creates what is missing of the objects every cluster has. What exists is left as it is, also when a user changed it.
 */
export async function bootstrap(
  parts: { readonly storage: Storage; readonly objects: ObjectStore; readonly resources: ResourceTable },
  more: readonly BootstrapObject[],
  apiAddress: string,
): Promise<void> {
  const context = {
    user: { name: 'system:apiserver', groups: ['system:masters'] },
    fieldManager: 'kube-apiserver',
    dryRun: false,
    options: { kind: 'CreateOptions', apiVersion: 'meta.k8s.io/v1' },
    warn: () => {},
  };
  const create = async (object: BootstrapObject) => {
    const slash = object.apiVersion.indexOf('/');
    const group = slash < 0 ? '' : object.apiVersion.slice(0, slash);
    const resource = parts.resources.findKind(group, object.apiVersion.slice(slash + 1), object.kind);
    if (!resource) throw new Error(`${object.apiVersion} ${object.kind} is not served`);
    const { name = '', namespace: within = '' } = object.metadata;
    if (parts.storage.latest(storageKey(resource, within, name))) return;
    const draft: Draft = resource.decode({ value: structuredClone(object), hasNumberTexts: false }).object;
    try {
      await parts.objects.create(resource, within, draft, context);
    } catch (error) {
      if (!isStatusError(error, 'AlreadyExists')) throw error;
    }
  };
  // Namespaces first, the rest at once: all of it is one or two commits.
  const all = [...basics(apiAddress), ...more];
  await Promise.all(all.filter(({ kind }) => kind === 'Namespace').map(create));
  await Promise.all(all.filter(({ kind }) => kind !== 'Namespace').map(create));
}
