import { type Client, kinds } from '@tektite/client';
import { defineController, Manager, mapped } from '@tektite/controller';
import { cacheKey } from '@tektite/controller/cache';
import { controllerOf, controllerReference, sleep } from '@tektite/meta';
import { Memcached } from './memcached.ts';

/**
 * Stands in for the controllers that a cluster has and this test has not: makes the Pods of Deployments, has them ready,
 * and takes away what has lost its owner.
 */
export function smallCluster(client: Client, readyAfterMs: number): Manager {
  const manager = new Manager(client, { name: 'small-cluster', graceMs: 0 });
  manager.add(
    defineController({
      name: 'deployments',
      kind: kinds.Deployment,
      // They are called by the name of what owns them.
      sources: [mapped(Memcached, ({ metadata }) => [cacheKey(metadata)])],
      async reconcile(deployment, { writeStatus, namespace = '', name }) {
        const owner = controllerOf(deployment);
        const alive = owner && (await find(client, namespace, owner.name));
        if (owner && alive?.metadata.uid !== owner.uid)
          return void (await client.delete(kinds.Deployment, { namespace, name }).catch(() => undefined));
        const replicas = deployment.spec?.replicas ?? 1;
        const labels = deployment.spec?.template.metadata?.labels ?? {};
        const labelSelector = formatLabels(labels);
        const pods = (await client.list(kinds.Pod, { namespace, labelSelector })).items;
        for (let i = pods.length; i < replicas; i++) {
          const spec = deployment.spec?.template.spec ?? { containers: [] };
          const ownerReferences = [controllerReference(deployment)];
          const metadata = { namespace, generateName: `${name}-`, labels, ownerReferences };
          const pod = await client.create(kinds.Pod, { metadata, spec });
          const status = { phase: 'Running', conditions: [{ type: 'Ready', status: 'True' }] };
          await client.updateStatus(kinds.Pod, { ...pod, status });
        }
        for (const { metadata } of pods.slice(replicas))
          await client.delete(kinds.Pod, { namespace, name: metadata.name ?? '' }, { gracePeriodSeconds: 0 });
        // Nothing gets ready at once.
        await sleep(client.clock, readyAfterMs);
        await writeStatus(deployment, { ...deployment.status, replicas, readyReplicas: replicas });
      },
    }),
  );
  return manager;
}

function formatLabels(labels: Readonly<Record<string, string>>): string {
  return Object.entries(labels)
    .map(([name, value]) => `${name}=${value}`)
    .join();
}

async function find(client: Client, namespace: string, name: string): Promise<Memcached | undefined> {
  return await client.getOrUndefined(Memcached, { namespace, name });
}
