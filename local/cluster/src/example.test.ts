import { kinds } from '@tektite/client';
import { startCluster } from '@tektite/cluster';
import { expect, test } from 'vitest';

const web = { namespace: 'default', name: 'web', labels: { app: 'web' } };
const template = { metadata: { labels: web.labels }, spec: { containers: [{ name: 'web', image: 'web' }] } };

test('a Deployment becomes available', async () => {
  await using cluster = await startCluster({ node: { runtime: 'simulated' } });
  const spec = { replicas: 2, selector: { matchLabels: web.labels }, template };
  await cluster.client.create(kinds.Deployment, { metadata: web, spec });
  const available = async () => (await cluster.client.get(kinds.Deployment, web)).status?.availableReplicas;
  await expect.poll(available).toBe(2);
});
