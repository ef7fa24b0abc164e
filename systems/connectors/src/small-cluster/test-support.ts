import { type Client, keyOf, mergePatch } from '@tektite/client';
import { controllerOf, type DynamicObject, isStatusError } from '@tektite/meta';
import { InstallManifest } from '../kinds/install-manifest.ts';

const watched = [
  'v1 ConfigMap',
  'v1 PersistentVolumeClaim',
  'apps/v1 Deployment',
  'apps/v1 StatefulSet',
  'rbac.authorization.k8s.io/v1 ClusterRole',
  'apiextensions.k8s.io/v1 CustomResourceDefinition',
];

/** All objects that the operator made, of the kinds that tests have. */
export async function managed(client: Client): Promise<readonly DynamicObject[]> {
  const lists = await Promise.all(
    watched.map((text) => {
      const [apiVersion = '', kind = ''] = text.split(' ');
      return client.list({ apiVersion, kind }, { labelSelector: 'cpaas.io/managed-by=connectors-operator' });
    }),
  );
  return lists.flatMap(({ items }) => items);
}

/** A minimal built-in controller: workloads become ready, and orphaned or foreground-deleted objects are deleted. */
export async function live(client: Client): Promise<void> {
  const sets = (await client.list(InstallManifest)).items;
  const objects = await managed(client);
  for (const object of objects) await liveObject(client, object, sets).catch(ignorePassing);
  for (const set of sets) await collect(client, set, objects).catch(ignorePassing);
}

function ignorePassing(error: unknown): void {
  if (!isStatusError(error, 'NotFound') && !isStatusError(error, 'Conflict')) throw error;
}

async function liveObject(client: Client, object: DynamicObject, sets: readonly InstallManifest[]): Promise<void> {
  const owner = controllerOf(object);
  const parent = owner && sets.find(({ metadata }) => metadata.uid === owner.uid);
  if (object.metadata.deletionTimestamp) return release(client, object);
  if (owner && (!parent || parent.metadata.finalizers?.includes('foregroundDeletion')))
    return void (await client.delete(object, keyOf(object)));
  if (object.kind !== 'Deployment' && object.kind !== 'StatefulSet') return;
  const { replicas } = object.spec as { replicas: number };
  const { generation: observedGeneration = 0 } = object.metadata;
  const counts = {
    observedGeneration,
    replicas,
    readyReplicas: replicas,
    updatedReplicas: replicas,
    availableReplicas: replicas,
  };
  const conditions = [{ type: 'Available', status: 'True', reason: 'a', message: 'b' }];
  const status = object.kind === 'Deployment' ? { ...counts, conditions } : counts;
  if ((object.status as typeof counts | undefined)?.observedGeneration === observedGeneration) return;
  await client.patchStatus(object, keyOf(object), mergePatch({ status }));
}

/** A set that is deleted in the foreground goes when nothing depends on it any more. */
async function collect(client: Client, set: InstallManifest, objects: readonly DynamicObject[]): Promise<void> {
  if (!set.metadata.finalizers?.includes('foregroundDeletion')) return;
  if (objects.some((object) => controllerOf(object)?.uid === set.metadata.uid)) return;
  await release(client, set);
}

async function release(client: Client, { apiVersion, kind, metadata }: DynamicObject | InstallManifest): Promise<void> {
  const finalizers = (metadata.finalizers ?? []).filter((name) => name !== 'foregroundDeletion');
  if (finalizers.length === (metadata.finalizers ?? []).length) return;
  const { resourceVersion, name = '', namespace: where } = metadata;
  const key = { name, ...(where ? { namespace: where } : {}) };
  await client.patch({ apiVersion, kind }, key, mergePatch({ metadata: { resourceVersion, finalizers } }));
}
