import { kinds, mergePatch } from '@tektite/client';
import type { Pod } from '@tektite/schema/kubernetes';
import { describe, expect, it } from 'vitest';
import { byDispensability } from '../pods/deletion-order.ts';
import { template, testCluster, type TestCluster } from '../test-support.ts';

const key = { namespace: 'default', name: 'web' };
const replicaSet = {
  metadata: key,
  spec: { replicas: 2, selector: { matchLabels: { app: 'web' } }, template: template('web') },
};
const pods = async ({ client }: TestCluster) => (await client.list(kinds.Pod)).items;

describe('a ReplicaSet', () => {
  it('adopts Pods that fit, and lets go those that no longer do', async () => {
    await using cluster = await testCluster();
    const { client } = cluster;
    await client.create(kinds.Pod, {
      ...template('web'),
      metadata: { namespace: 'default', name: 'stray', labels: { app: 'web' } },
    });
    await client.create(kinds.ReplicaSet, replicaSet);
    await cluster.settle();
    expect(await pods(cluster)).toHaveLength(2);
    const stray = await client.get(kinds.Pod, { namespace: 'default', name: 'stray' });
    expect(stray.metadata.ownerReferences).toMatchObject([{ kind: 'ReplicaSet', name: 'web', controller: true }]);
    await client.patch(
      kinds.Pod,
      { namespace: 'default', name: 'stray' },
      mergePatch({ metadata: { labels: { app: 'debug' } } }),
    );
    await cluster.settle();
    expect(await pods(cluster)).toHaveLength(3);
    expect((await client.get(kinds.Pod, { namespace: 'default', name: 'stray' })).metadata).not.toHaveProperty(
      'ownerReferences',
    );
  });

  it('replaces Pods that fail or are deleted', async () => {
    await using cluster = await testCluster();
    const { client } = cluster;
    await client.create(kinds.ReplicaSet, replicaSet);
    await cluster.settle();
    const [first, second] = (await pods(cluster)).map(({ metadata }) => metadata.name ?? '');
    await client.delete(kinds.Pod, { namespace: 'default', name: first ?? '' });
    await client.patchStatus(
      kinds.Pod,
      { namespace: 'default', name: second ?? '' },
      mergePatch({ status: { phase: 'Failed' } }),
    );
    await cluster.settle();
    const running = (await pods(cluster)).filter(({ status }) => status?.phase === 'Running');
    expect(running).toHaveLength(2);
    expect((await client.get(kinds.ReplicaSet, key)).status).toMatchObject({
      replicas: 2,
      readyReplicas: 2,
      fullyLabeledReplicas: 2,
    });
  });

  it('in its older form does the same', async () => {
    await using cluster = await testCluster();
    const spec = { replicas: 2, selector: { app: 'web' }, template: template('web') };
    await cluster.client.create(kinds.ReplicationController, { metadata: key, spec });
    await cluster.settle();
    const { status } = await cluster.client.get(kinds.ReplicationController, key);
    expect(status).toEqual({
      replicas: 2,
      fullyLabeledReplicas: 2,
      readyReplicas: 2,
      availableReplicas: 2,
      observedGeneration: 1,
    });
  });

  it('deletes the least valuable Pods first', () => {
    const pod = (name: string, phase: string, extra: Partial<Pod> = {}, ready = phase === 'Running'): Pod => ({
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name, creationTimestamp: '2026-01-01T00:00:00Z', ...extra.metadata },
      spec: { containers: [], nodeName: 'n', ...extra.spec },
      status: {
        phase,
        conditions: [{ type: 'Ready', status: ready ? 'True' : 'False', lastTransitionTime: '2026-01-01T00:00:00Z' }],
        ...extra.status,
      },
    });
    const cheap = { 'controller.kubernetes.io/pod-deletion-cost': '-5' };
    const sorted = byDispensability(
      [
        pod('old', 'Running'),
        pod('cheap', 'Running', { metadata: { name: 'cheap', annotations: cheap } }),
        pod('unready', 'Running', {}, false),
        pod('pending', 'Pending'),
      ],
      Date.parse('2026-01-02T00:00:00Z'),
    );
    expect(sorted.map(({ metadata }) => metadata.name)).toEqual(['pending', 'unready', 'cheap', 'old']);
  });
});
