import { cloneJson, equalJson, isStatusError, parseApiVersion } from '@tektite/meta';
import type { Storage } from '../storage/storage.ts';
import type { ObjectStore } from './object-store.ts';
import type { BootstrapObject } from '../registry/bootstrap-object.ts';
import { type Draft, type Resource, storageKey } from '../registry/resource.ts';
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

interface BootstrapParts {
  readonly storage: Storage;
  readonly objects: ObjectStore;
  readonly resources: ResourceTable;
}

/**
 * Creates what is missing of the objects every cluster has. What exists is left as it is, also when a user changed it.
 */
export async function bootstrap(
  parts: BootstrapParts,
  more: readonly BootstrapObject[],
  apiAddress: string,
): Promise<void> {
  // Namespaces first, the rest at once: all of it is one or two commits.
  const all = [...basics(apiAddress), ...more];
  const isNamespace = ({ kind }: BootstrapObject) => kind === 'Namespace';
  await createMissing(parts, all.filter(isNamespace));
  await createMissing(
    parts,
    all.filter((object) => !isNamespace(object)),
  );
}

/** Creates those of the objects that do not exist. `trusted` ones are not validated. */
export async function createMissing(
  parts: BootstrapParts,
  objects: readonly BootstrapObject[],
  trusted = false,
): Promise<void> {
  const context = {
    user: { name: 'system:apiserver', groups: ['system:masters'] },
    fieldManager: 'kube-apiserver',
    dryRun: false,
    options: { kind: 'CreateOptions', apiVersion: 'meta.k8s.io/v1' },
    warn: () => {},
    trusted,
  };
  const create = async (object: BootstrapObject) => {
    const { resource, key } = placeOf(parts.resources, object);
    if (parts.storage.latest(key)) return;
    const draft: Draft = resource.decode({ value: structuredClone(object), hasNumberTexts: false }).object;
    try {
      await parts.objects.create(resource, object.metadata.namespace ?? '', draft, context);
    } catch (error) {
      if (!isStatusError(error, 'AlreadyExists')) throw error;
    }
  };
  await Promise.all(objects.map(create));
}

/** Creates objects, or gives existing ones this content; their metadata stays. Nothing is admitted or validated. */
export async function replaceContent(parts: BootstrapParts, objects: readonly BootstrapObject[]): Promise<void> {
  await createMissing(parts, objects, true);
  for (const object of objects) {
    const { key } = placeOf(parts.resources, object);
    const stored = parts.storage.latest(key);
    if (!stored) continue;
    const { metadata: _, ...content } = object;
    const value = { ...stored.value, ...content };
    if (!equalJson(value, stored.value)) await parts.storage.write(key, stored.revision, cloneJson(value));
  }
}

function placeOf(
  resources: ResourceTable,
  object: BootstrapObject,
): { readonly resource: Resource; readonly key: string } {
  const { group, version } = parseApiVersion(object.apiVersion) ?? { group: '', version: '' };
  const resource = resources.findKind(group, version, object.kind);
  if (!resource) throw new Error(`${object.apiVersion} ${object.kind} is not served`);
  const { name = '', namespace: within = '' } = object.metadata;
  return { resource, key: storageKey(resource, within, name) };
}
