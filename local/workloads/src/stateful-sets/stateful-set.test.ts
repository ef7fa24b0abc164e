import { kinds, mergePatch } from '@tektite/client';
import type { Pod, StatefulSet } from '@tektite/schema/kubernetes';
import { describe, expect, it } from 'vitest';
import { template, testCluster, type TestCluster } from '../test-support.ts';
import { nextChanges } from './decide.ts';

const key = { namespace: 'default', name: 'db' };

function statefulSet(spec: Partial<NonNullable<StatefulSet['spec']>> = {}) {
  return {
    metadata: key,
    spec: {
      replicas: 3,
      serviceName: 'db',
      selector: { matchLabels: { app: 'db' } },
      template: template('db'),
      ...spec,
    },
  };
}

const podNames = async ({ client }: TestCluster) =>
  (await client.list(kinds.Pod)).items.map(({ metadata }) => metadata.name);
const images = async ({ client }: TestCluster) =>
  (await client.list(kinds.Pod)).items.map(({ spec }) => spec?.containers?.[0]?.image);
const podEvents = async ({ client }: TestCluster) =>
  (await client.list(kinds.Event)).items
    .filter(({ source }) => source?.component === 'statefulset-controller')
    .map(({ message }) => message);

describe('a StatefulSet', () => {
  it('makes its Pods in order, each with its claim', async () => {
    const storage = { directory: '/volumes', removeFolder: async () => undefined };
    await using cluster = await testCluster({ storage });
    const spec = { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } };
    const volumeClaimTemplates = [
      { apiVersion: 'v1', kind: 'PersistentVolumeClaim', metadata: { name: 'data' }, spec },
    ];
    await cluster.client.create(kinds.StatefulSet, statefulSet({ replicas: 2, volumeClaimTemplates }));
    await cluster.settle(10_000);
    expect(await podEvents(cluster)).toEqual([
      'create Claim data-db-0 Pod db-0 in StatefulSet db success',
      'create Pod db-0 in StatefulSet db successful',
      'create Claim data-db-1 Pod db-1 in StatefulSet db success',
      'create Pod db-1 in StatefulSet db successful',
    ]);
    const { status } = await cluster.client.get(kinds.StatefulSet, key);
    const [revision] = (await cluster.client.list(kinds.ControllerRevision)).items;
    expect(status).toEqual({
      observedGeneration: 1,
      replicas: 2,
      readyReplicas: 2,
      availableReplicas: 2,
      currentReplicas: 2,
      updatedReplicas: 2,
      currentRevision: revision?.metadata.name,
      updateRevision: revision?.metadata.name,
      collisionCount: 0,
    });
    const pod = await cluster.client.get(kinds.Pod, { namespace: 'default', name: 'db-1' });
    expect(pod).toMatchObject({
      metadata: {
        labels: { 'apps.kubernetes.io/pod-index': '1', 'controller-revision-hash': revision?.metadata.name },
      },
      spec: { hostname: 'db-1', subdomain: 'db', volumes: [{ persistentVolumeClaim: { claimName: 'data-db-1' } }] },
    });
  });

  it('waits for each Pod to be ready before the next', async () => {
    await using cluster = await testCluster({ script: () => ({ ready: false }) });
    await cluster.client.create(kinds.StatefulSet, statefulSet());
    await cluster.settle();
    expect(await podNames(cluster)).toEqual(['db-0']);
  });

  it('makes all at once when they need no order', async () => {
    await using cluster = await testCluster({ script: () => ({ ready: false }) });
    await cluster.client.create(kinds.StatefulSet, statefulSet({ podManagementPolicy: 'Parallel' }));
    await cluster.settle();
    expect(await podNames(cluster)).toEqual(['db-0', 'db-1', 'db-2']);
  });

  it('gives up the highest numbers first', async () => {
    await using cluster = await testCluster();
    await cluster.client.create(kinds.StatefulSet, statefulSet());
    await cluster.settle(10_000);
    await cluster.client.scale(kinds.StatefulSet, key, 1);
    await cluster.settle(10_000);
    expect(await podNames(cluster)).toEqual(['db-0']);
    expect((await podEvents(cluster)).slice(-2)).toEqual([
      'delete Pod db-2 in StatefulSet db successful',
      'delete Pod db-1 in StatefulSet db successful',
    ]);
  });

  it('does not scale down past Pods that are not ready, but for the lowest of them', () => {
    const change = (...ready: boolean[]) => {
      const set = { ...statefulSet({ replicas: 0 }), apiVersion: 'apps/v1', kind: 'StatefulSet' } as StatefulSet;
      const pods = ready.map((each, ordinal): Pod => {
        const conditions = [{ type: 'Ready', status: each ? 'True' : 'False' }];
        return {
          apiVersion: 'v1',
          kind: 'Pod',
          metadata: { name: `db-${ordinal}` },
          status: { phase: 'Running', conditions },
        };
      });
      const revision = { apiVersion: 'apps/v1', kind: 'ControllerRevision', metadata: { name: 'r' }, revision: 1 };
      const changes = nextChanges({ set, pods, current: revision, update: revision, now: 0 });
      return changes.map((each) => (each.type === 'delete' ? each.pod.metadata.name : each.type));
    };
    expect(change(true, true, true)).toEqual(['db-2']);
    expect(change(false, true, true)).toEqual(['db-2']);
    expect(change(true, true, false)).toEqual(['db-2']);
    expect(change(true, false, false)).toEqual([]);
    expect(change(false, false)).toEqual([]);
    expect(change(false)).toEqual(['db-0']);
  });

  it('replaces Pods from the highest number down to the partition', async () => {
    await using cluster = await testCluster();
    const { client } = cluster;
    await client.create(
      kinds.StatefulSet,
      statefulSet({ updateStrategy: { type: 'RollingUpdate', rollingUpdate: { partition: 1 } } }),
    );
    await cluster.settle(10_000);
    await client.patch(kinds.StatefulSet, key, mergePatch({ spec: { template: template('db', 'busybox:2') } }));
    await cluster.settle(20_000);
    expect(await images(cluster)).toEqual(['busybox:1', 'busybox:2', 'busybox:2']);
    const half = (await client.get(kinds.StatefulSet, key)).status;
    expect(half).toMatchObject({ currentReplicas: 1, updatedReplicas: 2 });
    await client.patch(
      kinds.StatefulSet,
      key,
      mergePatch({ spec: { updateStrategy: { rollingUpdate: { partition: 0 } } } }),
    );
    await cluster.settle(20_000);
    expect(await images(cluster)).toEqual(['busybox:2', 'busybox:2', 'busybox:2']);
    const { status } = await client.get(kinds.StatefulSet, key);
    expect(status?.currentRevision).toBe(status?.updateRevision);
  });
});
