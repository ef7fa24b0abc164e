import { kinds, mergePatch } from '@tektite/client';
import { describe, expect, it } from 'vitest';
import { createNode, template, testCluster, type TestCluster } from '../test-support.ts';

const key = { namespace: 'default', name: 'agent' };
const daemonSet = { metadata: key, spec: { selector: { matchLabels: { app: 'agent' } }, template: template('agent') } };

const placed = async ({ client }: TestCluster) =>
  new Map((await client.list(kinds.Pod)).items.map(({ spec }) => [spec?.nodeName, spec?.containers?.[0]?.image]));

describe('a DaemonSet', () => {
  it('has a Pod on every node, also on those that come later', async () => {
    await using cluster = await testCluster({ nodes: ['a', 'b'] });
    const { client } = cluster;
    await client.create(kinds.DaemonSet, daemonSet);
    await cluster.settle();
    expect([...(await placed(cluster)).keys()].sort((a = '', b = '') => a.localeCompare(b))).toEqual(['a', 'b']);
    await createNode(client, 'c');
    await cluster.settle();
    expect((await placed(cluster)).size).toBe(3);
    expect((await client.get(kinds.DaemonSet, key)).status).toEqual({
      observedGeneration: 1,
      currentNumberScheduled: 3,
      desiredNumberScheduled: 3,
      numberMisscheduled: 0,
      numberReady: 3,
      numberAvailable: 3,
      updatedNumberScheduled: 3,
    });
  });

  it('leaves out nodes that its Pods do not tolerate, and stays on those that are cordoned', async () => {
    await using cluster = await testCluster({ nodes: ['a', 'b'] });
    const { client } = cluster;
    const taints = [{ key: 'team', value: 'x', effect: 'NoSchedule' }];
    await client.patch(kinds.Node, { name: 'a' }, mergePatch({ spec: { taints } }));
    await client.patch(kinds.Node, { name: 'b' }, mergePatch({ spec: { unschedulable: true } }));
    await client.create(kinds.DaemonSet, daemonSet);
    await cluster.settle();
    expect([...(await placed(cluster)).keys()]).toEqual(['b']);
  });

  it('replaces its Pods one after the other', async () => {
    await using cluster = await testCluster({ nodes: ['a', 'b', 'c'] });
    const { client } = cluster;
    await client.create(kinds.DaemonSet, daemonSet);
    await cluster.settle();
    await client.patch(kinds.DaemonSet, key, mergePatch({ spec: { template: template('agent', 'busybox:2') } }));
    await cluster.settle(20_000);
    expect([...(await placed(cluster)).values()]).toEqual(['busybox:2', 'busybox:2', 'busybox:2']);
    expect((await client.list(kinds.ControllerRevision)).items.map(({ revision }) => revision)).toEqual(
      expect.arrayContaining([1, 2]),
    );
  });

  it('starts the new Pod before the old one goes, where it may have both', async () => {
    await using cluster = await testCluster({ nodes: ['a', 'b'] });
    const { client } = cluster;
    const updateStrategy = { type: 'RollingUpdate', rollingUpdate: { maxSurge: 1, maxUnavailable: 0 } };
    await client.create(kinds.DaemonSet, { ...daemonSet, spec: { ...daemonSet.spec, updateStrategy } });
    await cluster.settle();
    const first = await client.list(kinds.Pod);
    const { resourceVersion = '' } = first.metadata;
    await client.patch(kinds.DaemonSet, key, mergePatch({ spec: { template: template('agent', 'busybox:2') } }));
    await cluster.settle(20_000);
    expect([...(await placed(cluster)).values()]).toEqual(['busybox:2', 'busybox:2']);
    const gone: string[] = [];
    const ready: string[] = [];
    const watch = await client.watch(kinds.Pod, { resourceVersion });
    for await (const event of watch) {
      if (event.type === 'ERROR' || event.type === 'BOOKMARK') continue;
      const { metadata, status, spec } = event.object;
      const isReady = status?.conditions?.some(({ type, status: state }) => type === 'Ready' && state === 'True');
      if (metadata.deletionTimestamp && !gone.includes(metadata.name ?? '')) {
        gone.push(metadata.name ?? '');
        expect(ready.length).toBeGreaterThanOrEqual(gone.length);
      } else if (isReady && spec?.containers?.[0]?.image === 'busybox:2' && !ready.includes(metadata.name ?? ''))
        ready.push(metadata.name ?? '');
      if (gone.length === 2) break;
    }
    watch.close();
  });
});
