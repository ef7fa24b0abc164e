import { kinds, mergePatch } from '@tektite/client';
import { describe, expect, it } from 'vitest';
import { template, testCluster } from '../test-support.ts';

const pod = { ...template('a'), metadata: { namespace: 'default', name: 'a' } };

describe('a node', () => {
  it('of which nothing is heard becomes unknown, and its Pods leave it after their patience', async () => {
    await using cluster = await testCluster();
    const { client } = cluster;
    await client.create(kinds.Pod, pod);
    await cluster.settle();
    await client.patch(
      kinds.Node,
      { name: 'node-1' },
      mergePatch({ metadata: { annotations: { 'test/silent': 'yes' } } }),
    );
    await cluster.settle(80_000);
    const node = await client.get(kinds.Node, { name: 'node-1' });
    expect(node.status?.conditions?.find(({ type }) => type === 'Ready')).toMatchObject({
      status: 'Unknown',
      reason: 'NodeStatusUnknown',
      message: 'Kubelet stopped posting node status.',
    });
    expect(node.spec?.taints?.map(({ key, effect }) => [key, effect])).toEqual([
      ['node.kubernetes.io/unreachable', 'NoSchedule'],
      ['node.kubernetes.io/unreachable', 'NoExecute'],
    ]);
    await cluster.settle(310_000);
    expect((await client.list(kinds.Pod)).items).toEqual([]);
  });

  it('that is back loses its taints', async () => {
    await using cluster = await testCluster();
    const { client } = cluster;
    const ready = (status: string) => mergePatch({ status: { conditions: [{ type: 'Ready', status }] } });
    await client.patchStatus(kinds.Node, { name: 'node-1' }, ready('False'));
    await cluster.settle(1000);
    const taints = async () => (await client.get(kinds.Node, { name: 'node-1' })).spec?.taints?.map(({ key }) => key);
    expect(await taints()).toEqual(['node.kubernetes.io/not-ready', 'node.kubernetes.io/not-ready']);
    await client.patchStatus(kinds.Node, { name: 'node-1' }, ready('True'));
    await cluster.settle(1000);
    expect(await taints()).toBeUndefined();
  });

  it('that is deleted takes its Pods with it', async () => {
    await using cluster = await testCluster();
    const { client } = cluster;
    await client.create(kinds.Pod, pod);
    await cluster.settle();
    await client.delete(kinds.Node, { name: 'node-1' });
    await cluster.settle(50_000);
    expect((await client.list(kinds.Pod)).items).toEqual([]);
  });
});
