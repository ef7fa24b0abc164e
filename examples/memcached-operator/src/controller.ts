import { kinds } from '@tektite/client';
import { defineController, mapped, owned } from '@tektite/controller';
import { cacheKey, project } from '@tektite/controller/cache';
import { formatTime } from '@tektite/meta';
import { deploymentFor, statusFor } from './decide.ts';
import { Memcached } from './memcached.ts';

const instanceLabel = 'app.kubernetes.io/instance';
const deployments = owned(kinds.Deployment);
/** Of Pods only this is kept in memory; reading anything else would not compile. */
const pods = mapped(
  kinds.Pod,
  ({ metadata }) => [cacheKey({ ...metadata, name: metadata.labels?.[instanceLabel] ?? '' })],
  {
    labelSelector: 'app.kubernetes.io/name=memcached',
    transform: project(kinds.Pod, { metadata: { labels: true }, status: { conditions: true } }),
    indexes: { instance: ({ metadata }) => [cacheKey({ ...metadata, name: metadata.labels?.[instanceLabel] ?? '' })] },
  },
);

export const memcachedController = defineController({
  name: 'memcached',
  kind: Memcached,
  sources: [deployments, pods],
  finalizer: {
    name: 'cache.example.com/finalizer',
    // The garbage collector deletes the owned Deployment. External resources would be deleted here.
    cleanup: (memcached, { event }) =>
      event({ reason: 'Deleting', message: `the cache ${memcached.metadata.name} is being deleted` }),
  },
  async reconcile(memcached, { client, cache, clock, event, key, writeStatus }) {
    const [deployment] = cache(deployments).ownedBy(memcached);
    if (deployment?.spec?.replicas !== memcached.spec.size)
      event({ reason: 'Scaling', message: `to ${memcached.spec.size} nodes` });
    await client.apply(kinds.Deployment, deploymentFor(memcached), { fieldManager: 'memcached', force: true });
    const nodes = cache(pods).byIndex('instance', key);
    await writeStatus(memcached, statusFor(memcached, deployment, nodes, formatTime(clock.now())));
  },
});
