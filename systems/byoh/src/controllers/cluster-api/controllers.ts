import { type Client, ignoreNotFound, kinds, mergePatch } from '@tektite/client';
import { type ControllerDefinition, defineController, mapped, releaseObject } from '@tektite/controller';
import { cacheKey } from '@tektite/controller/cache';
import type { OwnerReference } from '@tektite/meta';
import type { Kind } from '@tektite/schema';
import { ByoCluster } from '../../kinds/byo-cluster.ts';
import { ByoMachine } from '../../kinds/byo-machine.ts';
import { Cluster, Machine } from '../../kinds/cluster-api.ts';
import { ownerOf } from '../../lookups.ts';
import { patchObject } from '../../patch-object.ts';
import { clusterApiGroup, clusterNameLabel, machineOwnerFinalizer } from '../../wire-names.ts';
import { decideOwner, missingOwner, provisionedCluster } from './decide.ts';

/**
 * As much of Cluster API as machines need where it is not installed: it sets owners, says that infrastructure is ready, reports nodes at
 * Machines, and deletes a ByoMachine before its Machine. Bootstrap data is the user's.
 */
export function clusterApiControllers(): readonly ControllerDefinition[] {
  return [clusterOwnerController(), machineOwnerController()];
}

/** Whether the definitions in the cluster are those of a real Cluster API, whose controllers do all this. */
export async function hasClusterApi(client: Client): Promise<boolean> {
  const name = `${Machine.plural}.${Machine.group}`;
  const { metadata } = (await client.getOrUndefined(kinds.CustomResourceDefinition, { name })) ?? {};
  return metadata?.labels?.['cluster.x-k8s.io/provider'] !== undefined;
}

function clusterOwnerController(): ControllerDefinition {
  const infrastructure = mapped(ByoCluster, (object, own) => ownersOf(object, 'Cluster', own.keys()));
  return defineController({
    name: 'cluster-api-cluster',
    kind: Cluster,
    sources: [infrastructure],
    async reconcile(cluster, { client, cache, namespace = '', signal }) {
      const { kind, name = '' } = cluster.spec?.infrastructureRef ?? {};
      if (kind !== ByoCluster.kind || cluster.metadata.deletionTimestamp !== undefined) return;
      const byoCluster = cache(infrastructure).get(cacheKey({ namespace, name }));
      if (byoCluster) await adopt(client, ByoCluster, byoCluster, missingOwner(byoCluster, cluster, 'Cluster'));
      await patchObject(client, Cluster, cluster, provisionedCluster(cluster, byoCluster), signal);
    },
  });
}

function machineOwnerController(): ControllerDefinition {
  const infrastructure = mapped(ByoMachine, (object, own) => ownersOf(object, 'Machine', own.keys()));
  return defineController({
    name: 'cluster-api-machine',
    kind: Machine,
    sources: [infrastructure],
    async reconcile(machine, { client, cache, namespace = '', signal }) {
      const { infrastructureRef, clusterName } = machine.spec ?? {};
      if (infrastructureRef?.kind !== ByoMachine.kind) return;
      const { name = '' } = infrastructureRef;
      const byoMachine = cache(infrastructure).get(cacheKey({ namespace, name }));
      const step = decideOwner({ machine, byoMachine });
      if (step.type === 'release') await releaseObject(client, machine, machineOwnerFinalizer, signal);
      if (step.type === 'deleteInfrastructure')
        await client.delete(ByoMachine, { namespace, name }).catch(ignoreNotFound);
      if (step.type !== 'write') return;
      await patchObject(client, Machine, machine, step.machine, signal);
      if (!byoMachine) return;
      const label = clusterName === undefined ? {} : { [clusterNameLabel]: clusterName };
      await adopt(client, ByoMachine, byoMachine, missingOwner(byoMachine, machine, 'Machine'), label);
    },
  });
}

/** The keys to reconcile for an infrastructure object: its owner, or, while it has none, all that might become it. */
function ownersOf(object: ByoCluster | ByoMachine, kind: 'Cluster' | 'Machine', keys: Iterable<string>): string[] {
  const { namespace = '' } = object.metadata;
  const owner = ownerOf(object, clusterApiGroup, kind);
  if (owner) return [cacheKey({ namespace, name: owner.name })];
  return [...keys].filter((key) => key.startsWith(`${namespace}/`));
}

/** Adds an owner, and labels that the object does not have. Bound to the state in which it had none. */
async function adopt<T extends ByoCluster | ByoMachine>(
  client: Client,
  kind: Kind<T>,
  { metadata }: T,
  owner: OwnerReference | undefined,
  labels: Readonly<Record<string, string>> = {},
): Promise<void> {
  if (!owner) return;
  const { namespace = '', name = '', resourceVersion = '', ownerReferences = [] } = metadata;
  const patch = {
    resourceVersion,
    ownerReferences: [...ownerReferences, owner],
    labels: { ...labels, ...metadata.labels },
  };
  await client.patch(kind, { namespace, name }, mergePatch({ metadata: patch }));
}
