import { kinds } from '@tektite/client';
import { describe, expect, it } from 'vitest';
import { template, testCluster } from '../test-support.ts';

const key = { namespace: 'default', name: 'limits' };

describe('a ResourceQuota', () => {
  it('counts existing objects when it is created, and deleted ones', async () => {
    await using cluster = await testCluster({
      script: ({ metadata }) => (metadata.name === 'done' ? { exitCode: 0 } : {}),
    });
    const { client } = cluster;
    const { metadata, spec } = template('web');
    const requests = { cpu: '250m', memory: '64Mi' };
    const containers = spec.containers.map((container) => ({
      ...container,
      resources: { requests, limits: { cpu: '1' } },
    }));
    for (const name of ['a', 'b', 'done'])
      await client.create(kinds.Pod, {
        metadata: { ...metadata, namespace: 'default', name },
        spec: { containers, restartPolicy: 'Never' },
      });
    await client.create(kinds.ConfigMap, { metadata: { namespace: 'default', name: 'c' } });
    await cluster.settle();
    const hard = {
      pods: '10',
      'requests.cpu': '4',
      memory: '1Gi',
      'limits.cpu': '8',
      configmaps: '10',
      'count/deployments.apps': '5',
      'count/pods': '9',
    };
    await client.create(kinds.ResourceQuota, { metadata: key, spec: { hard } });
    await cluster.settle();
    const used = async () => (await client.get(kinds.ResourceQuota, key)).status?.used;
    const configMaps = (await client.list(kinds.ConfigMap, { namespace: 'default' })).items.length;
    expect(await used()).toEqual({
      pods: '2',
      'requests.cpu': '500m',
      memory: '128Mi',
      'limits.cpu': '2',
      configmaps: String(configMaps),
      'count/deployments.apps': '0',
      'count/pods': '3',
    });
    await client.delete(kinds.Pod, { namespace: 'default', name: 'a' });
    await client.delete(kinds.ConfigMap, { namespace: 'default', name: 'c' });
    await cluster.settle();
    expect(await used()).toMatchObject({ pods: '1', 'requests.cpu': '250m', configmaps: String(configMaps - 1) });
  });

  it('counts only Pods of its scopes', async () => {
    await using cluster = await testCluster();
    const { client } = cluster;
    await client.create(kinds.Pod, { ...template('web'), metadata: { namespace: 'default', name: 'a' } });
    await client.create(kinds.ResourceQuota, {
      metadata: key,
      spec: { hard: { pods: '5' }, scopes: ['NotBestEffort'] },
    });
    await cluster.settle();
    expect((await client.get(kinds.ResourceQuota, key)).status).toEqual({ hard: { pods: '5' }, used: { pods: '0' } });
  });
});
