import { kinds, mergePatch } from '@tektite/client';
import type { StatefulSet } from '@tektite/schema/kubernetes';
import { describe, expect, it } from 'vitest';
import { template, testCluster, type TestCluster } from '../test-support.ts';

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
