import { cached, type ControllerDefinition, defineController, mapped, requeueAfter } from '@tektite/controller';
import { cacheKey } from '@tektite/controller/cache';
import { ByoCluster } from '../../kinds/byo-cluster.ts';
import { ByoMachine } from '../../kinds/byo-machine.ts';
import { Cluster } from '../../kinds/cluster-api.ts';
import { clusterNameOf, isPaused, ownerOf } from '../../lookups.ts';
import { patchObject } from '../../patch-object.ts';
import { clusterApiGroup, clusterFinalizer } from '../../wire-names.ts';

const pollMs = 10_000;
const defaultPort = 6443;

/** A reconciled ByoCluster: with finalizer, port and ready condition. There is no infrastructure to create. */
export function readyCluster(cluster: ByoCluster): ByoCluster {
  const { finalizers = [] } = cluster.metadata;
  const { controlPlaneEndpoint: endpoint } = cluster.spec ?? {};
  const held = finalizers.includes(clusterFinalizer) ? finalizers : [...finalizers, clusterFinalizer];
  return {
    ...cluster,
    metadata: { ...cluster.metadata, finalizers: held },
    ...(endpoint && endpoint.port === 0
      ? { spec: { ...cluster.spec, controlPlaneEndpoint: { ...endpoint, port: defaultPort } } }
      : {}),
    status: { ...cluster.status, ready: true },
  };
}

/** The controller of ByoClusters: ready at once, deleted after the last machine of the cluster. */
export function clusterController(): ControllerDefinition {
  const clusters = mapped(Cluster, ({ metadata, spec }) => {
    const { kind, name = '' } = spec?.infrastructureRef ?? {};
    return kind === 'ByoCluster' ? [cacheKey({ namespace: metadata.namespace ?? '', name })] : [];
  });
  const machines = cached(ByoMachine);
  return defineController({
    name: 'byocluster',
    kind: ByoCluster,
    sources: [clusters, machines],
    async reconcile(byoCluster, { client, cache, namespace = '', name, signal }) {
      const owner = ownerOf(byoCluster, clusterApiGroup, 'Cluster');
      const isGoing = byoCluster.metadata.deletionTimestamp !== undefined;
      // One that lost its owner before its first reconcile may be deleted.
      if (!owner && !isGoing) return undefined;
      const cluster = owner && cache(clusters).get(cacheKey({ namespace, name: owner.name }));
      if (owner && !cluster && !isGoing) throw new Error(`Cluster ${owner.name} cannot be found`);
      if (cluster && isPaused(cluster, byoCluster)) return undefined;
      if (!isGoing) {
        await patchObject(client, ByoCluster, byoCluster, readyCluster(byoCluster), signal);
        return undefined;
      }
      // Machines know the Cluster's name, which need not be this one's.
      const clusterName = owner?.name ?? name;
      if (
        cache(machines)
          .list(namespace)
          .some((machine) => clusterNameOf(machine) === clusterName)
      )
        return requeueAfter(pollMs);
      const finalizers = (byoCluster.metadata.finalizers ?? []).filter((each) => each !== clusterFinalizer);
      const metadata = { ...byoCluster.metadata, finalizers };
      await patchObject(client, ByoCluster, byoCluster, { ...byoCluster, metadata }, signal);
      return undefined;
    },
  });
}
