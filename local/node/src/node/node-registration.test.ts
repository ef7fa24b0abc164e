import { kinds, mergePatch } from '@tektite/client';
import { virtualClock } from '@tektite/testkit';
import { describe, expect, test } from 'vitest';
import { SimulatedRuntime } from '../simulated/simulated-runtime.ts';
import { startTestNode } from '../test-support.ts';

describe('a node', () => {
  test('registers with what the machine has, and says that it is well', async () => {
    await using here = await startTestNode({
      makeRuntime: () => new SimulatedRuntime(),
      labels: { zone: 'a' },
      address: '10.0.0.7',
    });
    const node = await here.plane.client.get(kinds.Node, { name: 'here' });
    expect(node.metadata.labels).toMatchObject({
      'kubernetes.io/hostname': 'here',
      'kubernetes.io/os': 'linux',
      zone: 'a',
    });
    expect(node.status?.addresses).toEqual([
      { type: 'InternalIP', address: '10.0.0.7' },
      { type: 'Hostname', address: 'here' },
    ]);
    expect(
      node.status?.conditions?.map(({ type, status, reason, message }) => [type, status, reason, message]),
    ).toEqual([
      ['MemoryPressure', 'False', 'KubeletHasSufficientMemory', 'kubelet has sufficient memory available'],
      ['DiskPressure', 'False', 'KubeletHasNoDiskPressure', 'kubelet has no disk pressure'],
      ['PIDPressure', 'False', 'KubeletHasSufficientPID', 'kubelet has sufficient PID available'],
      ['Ready', 'True', 'KubeletReady', 'kubelet is posting ready status'],
    ]);
    expect(node.status?.capacity).toMatchObject({
      pods: '110',
      memory: expect.stringMatching(/^\d+Ki$/),
      cpu: expect.stringMatching(/^\d+$/),
    });
    expect(node.status?.nodeInfo).toMatchObject({
      operatingSystem: 'linux',
      containerRuntimeVersion: 'simulated://1.0.0',
      kubeletVersion: 'v1.36.4',
    });
  });

  test('renews its lease every ten seconds, and no more after it stops', async () => {
    const clock = virtualClock();
    const here = await startTestNode({ planeOptions: { clock }, makeRuntime: () => new SimulatedRuntime({ clock }) });
    const { client } = here.plane;
    const lease = () => client.get(kinds.Lease, { namespace: 'kube-node-lease', name: 'here' });
    const first = await lease();
    expect(first.spec).toMatchObject({
      holderIdentity: 'here',
      leaseDurationSeconds: 40,
      renewTime: '2026-01-01T00:00:00.000000Z',
    });
    expect(first.metadata.ownerReferences).toMatchObject([{ kind: 'Node', name: 'here' }]);
    await clock.advance(25_000);
    expect((await lease()).spec?.renewTime).toBe('2026-01-01T00:00:20.000000Z');
    await clock.advance(300_000);
    const heartbeat = (await client.get(kinds.Node, { name: 'here' })).status?.conditions?.at(-1);
    expect(heartbeat).toMatchObject({
      lastHeartbeatTime: '2026-01-01T00:05:00Z',
      lastTransitionTime: '2026-01-01T00:00:00Z',
    });
    await here[Symbol.asyncDispose]();
    expect(clock.pendingTimers).toBe(0);
  });

  test('takes up its old object, and the taints that its absence brought', async () => {
    const clock = virtualClock();
    await using here = await startTestNode({
      planeOptions: { clock },
      makeRuntime: () => new SimulatedRuntime({ clock }),
    });
    const { client } = here.plane;
    const taints = [
      { key: 'node.kubernetes.io/unreachable', effect: 'NoExecute' },
      { key: 'mine', effect: 'NoSchedule' },
    ];
    await client.patch(kinds.Node, { name: 'here' }, mergePatch({ spec: { taints } }));
    await clock.advance(301_000);
    expect((await client.get(kinds.Node, { name: 'here' })).spec?.taints).toEqual([
      { key: 'mine', effect: 'NoSchedule' },
    ]);
    expect(here.errors).toEqual([]);
  });
});
