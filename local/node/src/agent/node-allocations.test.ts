import { kinds } from '@tektite/client';
import type { Container, Pod } from '@tektite/schema/kubernetes';
import { expect, test } from 'vitest';
import { SimulatedRuntime } from '../simulated/simulated-runtime.ts';
import { startTestNode } from '../test-support.ts';
import { NodeAllocations } from './node-allocations.ts';

const podOf = (uid: string, container: Partial<Container>): Pod => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { uid },
  spec: { containers: [{ name: 'main', ...container }] },
});
const asking = (uid: string, cpu: string) => podOf(uid, { resources: { requests: { cpu } } });
const listening = (uid: string, hostPort: number, hostIP = '', protocol = 'TCP') =>
  podOf(uid, { ports: [{ containerPort: 80, hostPort, hostIP, protocol }] });

test('a change that exceeds the node is infeasible', () => {
  expect(new NodeAllocations({ cpu: '1', memory: '1Gi' }).denial(asking('a', '1500m'))).toEqual({
    reason: 'Infeasible',
    message: "Node didn't have enough capacity: cpu, requested: 1500, capacity: 1000",
  });
});

test('a Pod is rejected that takes more than is left', () => {
  const node = new NodeAllocations({ cpu: '1', memory: '1Gi' });
  node.set(asking('a', '600m'));
  expect(node.rejection(asking('b', '400m'))).toBeUndefined();
  expect(node.rejection(podOf('c', {}))).toBeUndefined();
  const refused = asking('d', '500m');
  expect(node.rejection(refused)).toEqual({
    reason: 'OutOfcpu',
    message: "Node didn't have enough resource: cpu, requested: 500, used: 600, capacity: 1000",
  });
  node.release('a');
  expect(node.rejection(refused)).toBeUndefined();
});

test.each([
  [listening('b', 80), true],
  [listening('b', 80, '127.0.0.1'), true],
  [listening('b', 80, '', 'UDP'), false],
  [listening('b', 81), false],
])('host ports exclude each other by address, port and protocol: %#', (pod, isRejected) => {
  const node = new NodeAllocations({ cpu: '1', memory: '1Gi' });
  node.set(listening('a', 80));
  expect(node.rejection(pod)?.reason).toBe(isRejected ? 'NodePorts' : undefined);
});

test('a rejected Pod has failed, and takes nothing', async () => {
  await using here = await startTestNode({ makeRuntime: () => new SimulatedRuntime() });
  const ports = [{ containerPort: 80, hostPort: 8080 }];
  const containers = [{ name: 'main', image: 'x', ports }];
  await here.run('first', { containers });
  await here.until('first', ({ status }) => status?.phase === 'Running');
  await here.run('second', { containers });
  const { status } = await here.done('second');
  const message = "Predicate NodePorts failed: node(s) didn't have free ports for the requested pod ports";
  expect(status).toMatchObject({ phase: 'Failed', reason: 'NodePorts', message: `Pod was rejected: ${message}` });
  await expect
    .poll(async () => (await here.events('second')).map(({ reason, message: text }) => [reason, text]))
    .toContainEqual(['NodePorts', message]);
  await here.plane.client.delete(kinds.Pod, { namespace: 'default', name: 'first' }, { gracePeriodSeconds: 0 });
  await here.run('third', { containers });
  await here.until('third', ({ status: third }) => third?.phase === 'Running');
});
