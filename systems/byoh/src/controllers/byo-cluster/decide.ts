import type { ByoCluster } from '../../kinds/byo-cluster.ts';
import type { ByoMachine } from '../../kinds/byo-machine.ts';
import type { Cluster } from '../../kinds/cluster-api.ts';
import { clusterNameOf, isPaused, ownerOf } from '../../lookups.ts';
import { clusterApiGroup, clusterFinalizer } from '../../wire-names.ts';

const pollMs = 10_000;
const defaultPort = 6443;

/** A ByoCluster as one reconcile observes it. */
export interface ClusterObservation {
  readonly byoCluster: ByoCluster;
  /** The Cluster that owns it; undefined also while the cache does not have it. */
  readonly cluster: Cluster | undefined;
  /** The ByoMachines of its namespace. */
  readonly machines: readonly ByoMachine[];
}

/** The write that a ByoCluster needs, or the delay of the next reconcile, or the error to retry with. */
export type ClusterPlan =
  | { readonly type: 'nothing' }
  | { readonly type: 'write'; readonly next: ByoCluster }
  | { readonly type: 'wait'; readonly requeueMs: number }
  | { readonly type: 'retry'; readonly error: string };

/** A ByoCluster is ready at once, and is deleted after the last machine of its Cluster. */
export function decideCluster({ byoCluster, cluster, machines }: ClusterObservation): ClusterPlan {
  const { name = '', deletionTimestamp } = byoCluster.metadata;
  const owner = ownerOf(byoCluster, clusterApiGroup, 'Cluster');
  const isDeleted = deletionTimestamp !== undefined;
  // One that lost its owner before its first reconcile may be deleted.
  if (!owner && !isDeleted) return { type: 'nothing' };
  if (owner && !cluster && !isDeleted) return { type: 'retry', error: `Cluster ${owner.name} cannot be found` };
  if (cluster && isPaused(cluster, byoCluster)) return { type: 'nothing' };
  if (!isDeleted) return { type: 'write', next: readyCluster(byoCluster) };
  // Machines know the Cluster's name, which need not be this one's.
  const clusterName = owner?.name ?? name;
  if (machines.some((machine) => clusterNameOf(machine) === clusterName)) return { type: 'wait', requeueMs: pollMs };
  return { type: 'write', next: releasedCluster(byoCluster) };
}

/** A reconciled ByoCluster: with finalizer, port and ready condition. There is no infrastructure to create. */
function readyCluster(cluster: ByoCluster): ByoCluster {
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

function releasedCluster(cluster: ByoCluster): ByoCluster {
  const finalizers = (cluster.metadata.finalizers ?? []).filter((each) => each !== clusterFinalizer);
  return { ...cluster, metadata: { ...cluster.metadata, finalizers } };
}
