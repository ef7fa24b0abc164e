import { cached, type ControllerDefinition, defineController, mapped, requeueAfter } from '@tektite/controller';
import { cacheKey } from '@tektite/controller/cache';
import { ByoCluster } from '../../kinds/byo-cluster.ts';
import { ByoMachine } from '../../kinds/byo-machine.ts';
import { Cluster } from '../../kinds/cluster-api.ts';
import { ownerOf } from '../../lookups.ts';
import { patchObject } from '../../patch-object.ts';
import { clusterApiGroup } from '../../wire-names.ts';
import { decideCluster } from './decide.ts';

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
    async reconcile(byoCluster, { client, cache, namespace = '', signal }) {
      const owner = ownerOf(byoCluster, clusterApiGroup, 'Cluster');
      const plan = decideCluster({
        byoCluster,
        cluster: owner && cache(clusters).get(cacheKey({ namespace, name: owner.name })),
        machines: cache(machines).list(namespace),
      });
      if (plan.type === 'retry') throw new Error(plan.error);
      if (plan.type === 'write') await patchObject(client, ByoCluster, byoCluster, plan.next, signal);
      return plan.type === 'wait' ? requeueAfter(plan.requeueMs) : undefined;
    },
  });
}
