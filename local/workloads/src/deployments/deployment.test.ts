import { kinds, mergePatch } from '@tektite/client';
import type { Deployment } from '@tektite/schema/kubernetes';
import { describe, expect, it } from 'vitest';
import { createNode, template, testCluster, type TestCluster } from '../test-support.ts';

const key = { namespace: 'default', name: 'web' };

function deployment(spec: Partial<NonNullable<Deployment['spec']>> = {}) {
  return {
    metadata: key,
    spec: { replicas: 3, selector: { matchLabels: { app: 'web' } }, template: template('web'), ...spec },
  };
}

async function replicaSets({ client }: TestCluster) {
  const { items } = await client.list(kinds.ReplicaSet, { namespace: 'default' });
  return items.map(({ metadata, spec }) => ({
    revision: metadata.annotations?.['deployment.kubernetes.io/revision'],
    replicas: spec?.replicas,
    image: spec?.template?.spec?.containers?.[0]?.image,
  }));
}

async function eventsOf({ client }: TestCluster, reason: string) {
  const { items } = await client.list(kinds.Event, { namespace: 'default' });
  return items.filter((event) => event.reason === reason).map(({ message, source }) => [source?.component, message]);
}

describe('a Deployment', () => {
  it('makes Pods through a ReplicaSet, and says that they are available', async () => {
    await using cluster = await testCluster();
    await cluster.client.create(kinds.Deployment, deployment());
    await cluster.settle();
    const { status, metadata } = await cluster.client.get(kinds.Deployment, key);
    expect(metadata.annotations).toEqual({ 'deployment.kubernetes.io/revision': '1' });
    const [set] = (await cluster.client.list(kinds.ReplicaSet)).items;
    expect(set?.metadata.name).toMatch(/^web-[bcdfghjklmnpqrstvwxz2456789]{8,10}$/);
    expect(status).toMatchObject({
      observedGeneration: 1,
      replicas: 3,
      updatedReplicas: 3,
      readyReplicas: 3,
      availableReplicas: 3,
      conditions: [
        {
          type: 'Available',
          status: 'True',
          reason: 'MinimumReplicasAvailable',
          message: 'Deployment has minimum availability.',
        },
        {
          type: 'Progressing',
          status: 'True',
          reason: 'NewReplicaSetAvailable',
          message: `ReplicaSet "${set?.metadata.name}" has successfully progressed.`,
        },
      ],
    });
    expect(status).not.toHaveProperty('unavailableReplicas');
    expect(await eventsOf(cluster, 'ScalingReplicaSet')).toEqual([
      ['deployment-controller', `Scaled up replica set ${set?.metadata.name} from 0 to 3`],
    ]);
  });

  it('replaces Pods step by step when the template changes, and never has fewer than it may', async () => {
    await using cluster = await testCluster();
    const { client } = cluster;
    await client.create(kinds.Deployment, deployment({ replicas: 4 }));
    await cluster.settle();
    let fewest = 4;
    let most = 4;
    const watch = await client.watch(kinds.Pod, { namespace: 'default' });
    const seen = new Map<string, boolean>();
    const following = (async () => {
      for await (const event of watch) {
        if (event.type === 'ERROR' || event.type === 'BOOKMARK') continue;
        const { metadata, status } = event.object;
        if (event.type === 'DELETED') seen.delete(metadata.name ?? '');
        else
          seen.set(
            metadata.name ?? '',
            status?.conditions?.some((c) => c.type === 'Ready' && c.status === 'True') ?? false,
          );
        if (seen.size < 4) continue;
        fewest = Math.min(fewest, [...seen.values()].filter(Boolean).length);
        most = Math.max(most, seen.size);
      }
    })();
    await client.patch(kinds.Deployment, key, mergePatch({ spec: { template: template('web', 'busybox:2') } }));
    await cluster.settle(20_000);
    watch.close();
    await following.catch(() => undefined);
    expect(await replicaSets(cluster)).toEqual(
      expect.arrayContaining([
        { revision: '1', replicas: 0, image: 'busybox:1' },
        { revision: '2', replicas: 4, image: 'busybox:2' },
      ]),
    );
    expect(fewest).toBeGreaterThanOrEqual(3);
    expect(most).toBeLessThanOrEqual(5);
    expect((await client.get(kinds.Deployment, key)).status).toMatchObject({ updatedReplicas: 4, replicas: 4 });
  });

  it('goes back to an earlier template under a new revision, and keeps as much history as it should', async () => {
    await using cluster = await testCluster();
    const { client } = cluster;
    await client.create(kinds.Deployment, deployment({ replicas: 1, revisionHistoryLimit: 1 }));
    for (const image of ['busybox:2', 'busybox:3', 'busybox:2']) {
      await cluster.settle(10_000);
      await client.patch(kinds.Deployment, key, mergePatch({ spec: { template: template('web', image) } }));
    }
    await cluster.settle(10_000);
    expect(await replicaSets(cluster)).toEqual(
      expect.arrayContaining([
        { revision: '3', replicas: 0, image: 'busybox:3' },
        { revision: '4', replicas: 1, image: 'busybox:2' },
      ]),
    );
    expect(await replicaSets(cluster)).toHaveLength(2);
  });

  it('reports an exceeded progress deadline', async () => {
    await using cluster = await testCluster({ script: () => ({ ready: false }) });
    await cluster.client.create(kinds.Deployment, deployment({ progressDeadlineSeconds: 60 }));
    await cluster.settle(90_000);
    const { status } = await cluster.client.get(kinds.Deployment, key);
    expect(status?.conditions).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ type: 'Available', status: 'False', reason: 'MinimumReplicasUnavailable' }),
        expect.objectContaining({ type: 'Progressing', status: 'False', reason: 'ProgressDeadlineExceeded' }),
      ]),
    );
    expect(status).toMatchObject({ unavailableReplicas: 3 });
  });

  it('with Recreate, deletes all old Pods before it creates the first new one', async () => {
    await using cluster = await testCluster();
    const { client } = cluster;
    await client.create(kinds.Deployment, deployment({ strategy: { type: 'Recreate' } }));
    await cluster.settle();
    await client.patch(kinds.Deployment, key, mergePatch({ spec: { template: template('web', 'busybox:2') } }));
    await cluster.settle(10_000);
    const { items } = await client.list(kinds.Pod);
    expect(items.map(({ spec }) => spec?.containers?.[0]?.image)).toEqual(['busybox:2', 'busybox:2', 'busybox:2']);
    const events = (await eventsOf(cluster, 'ScalingReplicaSet')).map(([, message]) =>
      message?.replace(/web-\w+/, 'web'),
    );
    expect(events).toEqual([
      'Scaled up replica set web from 0 to 3',
      'Scaled down replica set web from 3 to 0',
      'Scaled up replica set web from 0 to 3',
    ]);
  });

  it('is scaled, also while it is paused', async () => {
    await using cluster = await testCluster();
    const { client } = cluster;
    await client.create(kinds.Deployment, deployment({ paused: true }));
    await cluster.settle();
    expect(await replicaSets(cluster)).toEqual([]);
    await client.patch(kinds.Deployment, key, mergePatch({ spec: { paused: false } }));
    await cluster.settle();
    await client.patch(kinds.Deployment, key, mergePatch({ spec: { paused: true } }));
    await client.scale(kinds.Deployment, key, 5);
    await cluster.settle();
    expect((await client.list(kinds.Pod)).items).toHaveLength(5);
    const progress = (await client.get(kinds.Deployment, key)).status?.conditions?.find(
      (c) => c.type === 'Progressing',
    );
    expect(progress).toMatchObject({ status: 'Unknown', reason: 'DeploymentPaused', message: 'Deployment is paused' });
  });

  it('reports why its ReplicaSet creates no Pods', async () => {
    await using cluster = await testCluster();
    const { client } = cluster;
    await client.create(kinds.ResourceQuota, {
      metadata: { namespace: 'default', name: 'q' },
      spec: { hard: { pods: '1' } },
    });
    await client.patchStatus(
      kinds.ResourceQuota,
      { namespace: 'default', name: 'q' },
      mergePatch({ status: { hard: { pods: '1' }, used: { pods: '0' } } }),
    );
    await client.create(kinds.Deployment, deployment());
    await cluster.settle(30_000);
    const { status } = await client.get(kinds.Deployment, key);
    expect(status?.conditions).toContainEqual(
      expect.objectContaining({
        type: 'ReplicaFailure',
        status: 'True',
        reason: 'FailedCreate',
        message: expect.stringContaining('exceeded quota'),
      }),
    );
  });

  it('leaves Pods that no node has room for pending, and they go there when one comes', async () => {
    await using cluster = await testCluster({ nodes: [] });
    await cluster.client.create(kinds.Deployment, deployment({ replicas: 1 }));
    await cluster.settle();
    await createNode(cluster.client, 'late');
    await cluster.settle();
    const [pod] = (await cluster.client.list(kinds.Pod)).items;
    expect(pod).toMatchObject({ spec: { nodeName: 'late' }, status: { phase: 'Running' } });
  });
});
