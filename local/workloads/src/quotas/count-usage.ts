import { type Client, kinds } from '@tektite/client';
import { formatApiVersion, type KubeObject, Quantity } from '@tektite/meta';
import type { PersistentVolumeClaim, Pod, ResourceQuota, Service } from '@tektite/schema/kubernetes';
import { inScope, podUsage } from './pod-usage.ts';

/** The short names of counts that quotas had before there was `count/`. */
const oldNames = new Map([
  ['services', 'services'],
  ['configmaps', 'configmaps'],
  ['secrets', 'secrets'],
  ['persistentvolumeclaims', 'persistentvolumeclaims'],
  ['replicationcontrollers', 'replicationcontrollers'],
  ['resourcequotas', 'resourcequotas'],
]);

const count = (number: number) => Quantity.of(number);

/**
 * How much of what a quota limits is in use. Everything is asked of the server, not of a cache: what admission has counted
 * a moment ago must not be forgotten.
 */
export async function countUsage(client: Client, quota: ResourceQuota): Promise<Readonly<Record<string, string>>> {
  const namespace = quota.metadata.namespace ?? '';
  const used: Record<string, string> = {};
  const lists = new Map<string, Promise<readonly KubeObject[]>>();
  const list = (resource: string): Promise<readonly KubeObject[]> => {
    const known = lists.get(resource) ?? listAll(client, namespace, resource);
    lists.set(resource, known);
    return known;
  };
  for (const name of Object.keys(quota.spec?.hard ?? {}).toSorted()) {
    const amount = await usageOf(name, quota, list);
    if (amount) used[name] = amount.toString();
  }
  return used;
}

type Lister = (resource: string) => Promise<readonly KubeObject[]>;

async function usageOf(name: string, quota: ResourceQuota, list: Lister): Promise<Quantity | undefined> {
  if (name.startsWith('count/') && name !== 'count/pods')
    return count((await list(name.slice('count/'.length))).length);
  const resource = oldNames.get(name);
  if (resource) return count((await list(resource)).length);
  if (name === 'services.loadbalancers' || name === 'services.nodeports')
    return servicePorts(name, (await list('services')) as Service[]);
  if (name === 'requests.storage' || name.includes('.storageclass.storage.k8s.io/'))
    return storage(name, (await list('persistentvolumeclaims')) as PersistentVolumeClaim[]);
  let sum = Quantity.zero;
  for (const pod of (await list('pods')) as Pod[]) {
    const amount = inScope(quota, pod) ? podUsage(pod).get(name) : undefined;
    if (amount) sum = sum.add(amount);
  }
  return sum;
}

function servicePorts(name: string, services: readonly Service[]): Quantity {
  const balanced = services.filter(({ spec }) => spec?.type === 'LoadBalancer');
  if (name === 'services.loadbalancers') return count(balanced.length);
  const open = services.filter(
    ({ spec }) =>
      spec?.type === 'NodePort' || (spec?.type === 'LoadBalancer' && spec.allocateLoadBalancerNodePorts !== false),
  );
  return count(open.reduce((sum, { spec }) => sum + (spec?.ports?.length ?? 0), 0));
}

/** `requests.storage` of all claims, or of those of one class: `<class>.storageclass.storage.k8s.io/requests.storage`. */
function storage(name: string, claims: readonly PersistentVolumeClaim[]): Quantity {
  const [storageClass, what = name] = name.split('.storageclass.storage.k8s.io/');
  const chosen = name === what ? claims : claims.filter(({ spec }) => spec?.storageClassName === storageClass);
  if (what !== 'requests.storage') return count(chosen.length);
  return chosen.reduce(
    (sum, { spec }) => sum.add(Quantity.parse(spec?.resources?.requests?.['storage'] ?? '0')),
    Quantity.zero,
  );
}

async function listAll(client: Client, namespace: string, resource: string): Promise<readonly KubeObject[]> {
  if (resource === 'pods') return (await client.list(kinds.Pod, { namespace })).items;
  const found = await client.discovery.lookup(resource).catch(() => undefined);
  if (!found || found.scope !== 'Namespaced') return [];
  return (await client.list({ apiVersion: formatApiVersion(found), kind: found.kind }, { namespace })).items;
}
