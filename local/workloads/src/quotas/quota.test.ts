import { kinds, mergePatch } from '@tektite/client';
import type { ResourceQuota } from '@tektite/schema/kubernetes';
import { describe, expect, it } from 'vitest';
import { template, testCluster } from '../test-support.ts';
import { chargeSettlesIn, isLower } from './recent-charge.ts';

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

  it('keeps a charge of admission whose object is not stored yet', async () => {
    await using cluster = await testCluster();
    const { client, plane } = cluster;
    const hard = { 'services.nodeports': '1', configmaps: '9' };
    await client.create(kinds.ConfigMap, { metadata: { namespace: 'default', name: 'c' } });
    await client.create(kinds.ResourceQuota, { metadata: key, spec: { hard } });
    await cluster.settle();
    const used = async () => (await client.get(kinds.ResourceQuota, key)).status?.used?.['services.nodeports'];
    const admission = plane.clientFor(
      { name: 'system:apiserver', groups: ['system:masters'] },
      { fieldManager: 'kube-apiserver' },
    );
    await admission.patchStatus(
      kinds.ResourceQuota,
      key,
      mergePatch({ status: { used: { 'services.nodeports': '1' } } }),
    );
    await client.delete(kinds.ConfigMap, { namespace: 'default', name: 'c' });
    await cluster.settle(900);
    expect(await used()).toBe('1');
    await cluster.settle(5000);
    expect(await used()).toBe('0');
  });

  it('counts less when a Service gives its node ports back, and when workloads are deleted', async () => {
    await using cluster = await testCluster();
    const { client } = cluster;
    const hard = { 'services.nodeports': '1', 'count/replicasets.apps': '1' };
    await client.create(kinds.ResourceQuota, { metadata: key, spec: { hard } });
    await cluster.settle();
    const at = { namespace: 'default', name: 'web' };
    const spec = { replicas: 0, selector: { matchLabels: { app: 'web' } }, template: template('web') };
    await client.create(kinds.ReplicaSet, { metadata: at, spec });
    await client.create(kinds.Service, { metadata: at, spec: { type: 'NodePort', ports: [{ port: 80 }] } });
    const used = async () => (await client.get(kinds.ResourceQuota, key)).status?.used;
    expect(await used()).toEqual({ 'services.nodeports': '1', 'count/replicasets.apps': '1' });
    await client.patch(kinds.Service, at, mergePatch({ spec: { type: 'ClusterIP', ports: [{ port: 80 }] } }));
    await client.delete(kinds.ReplicaSet, at);
    await cluster.settle();
    expect(await used()).toEqual({ 'services.nodeports': '0', 'count/replicasets.apps': '0' });
  });

  it('does not lower usage while a charged object may be on its way into the storage', () => {
    const charged = (time: string) => ({
      metadata: { managedFields: [{ manager: 'kube-apiserver', subresource: 'status', operation: 'Update', time }] },
    });
    const quota = charged('2026-01-01T00:00:10Z') as unknown as ResourceQuota;
    expect(chargeSettlesIn(quota, Date.parse('2026-01-01T00:00:10.900Z'))).toBe(1100);
    expect(chargeSettlesIn(quota, Date.parse('2026-01-01T00:00:12Z'))).toBe(0);
    expect(isLower({ pods: '1' }, { pods: '2' })).toBe(true);
    expect(isLower({ pods: '2' }, { pods: '2', services: '1' })).toBe(false);
  });
});
