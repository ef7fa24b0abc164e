import { existsSync } from 'node:fs';
import { kinds, strategicMergePatch } from '@tektite/client';
import type { Pod } from '@tektite/schema/kubernetes';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { SimulatedRuntime } from '../simulated/simulated-runtime.ts';
import { shell, startTestNode, type TestNode } from '../test-support.ts';

const canLimit = process.getuid?.() === 0 && existsSync('/sys/fs/cgroup');
const isUnified = existsSync('/sys/fs/cgroup/cgroup.controllers');
const both = (cpu: string, memory: string) => ({ requests: { cpu, memory }, limits: { cpu, memory } });

async function resize(here: TestNode, name: string, resources: object): Promise<void> {
  const patch = strategicMergePatch({ spec: { containers: [{ name: 'main', resources }] } });
  await here.plane.client.patch(kinds.Pod, { namespace: 'default', name }, patch, { subresource: 'resize' });
}

const conditions = (pod: Pod) => (pod.status?.conditions ?? []).filter(({ type }) => type.startsWith('PodResize'));
const statusOf = (pod: Pod) => pod.status?.containerStatuses?.[0];
const isActuated = (pod: Pod) =>
  pod.status?.observedGeneration === pod.metadata.generation && conditions(pod).length === 0;

describe.skipIf(!canLimit)('a container whose resources change', () => {
  let here: TestNode;
  beforeAll(async () => void (here = await startTestNode()));
  afterAll(() => here[Symbol.asyncDispose]());

  const files = isUnified
    ? { memory: '/sys/fs/cgroup/memory.max', cpu: '/sys/fs/cgroup/cpu.max' }
    : { memory: '/sys/fs/cgroup/memory/memory.limit_in_bytes', cpu: '/sys/fs/cgroup/cpu/cpu.cfs_quota_us' };

  /** The limits as the container sees them. */
  async function seen(name: string): Promise<string[]> {
    let text = '';
    await here.node.exec(await here.get(name), 'main', {
      command: ['cat', files.memory, files.cpu],
      onOutput: (_, chunk) => void (text += Buffer.from(chunk).toString()),
    });
    return text.split('\n').map((line) => line.split(' ')[0] as string);
  }

  test('goes on with them, and sees them', async () => {
    await here.run('grows', { containers: [shell('sleep 1000', { resources: both('100m', '32Mi') })] });
    await here.until('grows', ({ status }) => status?.phase === 'Running');
    expect(await seen('grows')).toEqual([String(32 * 2 ** 20), '10000', '']);
    const before = statusOf(await here.get('grows'))?.containerID;
    for (const [cpu, memory, bytes, quota] of [
      ['200m', '64Mi', 64, '20000'],
      ['100m', '16Mi', 16, '10000'],
    ] as const) {
      await resize(here, 'grows', both(cpu, memory));
      const pod = await here.until(
        'grows',
        (each) => statusOf(each)?.resources?.limits?.['cpu'] === cpu && isActuated(each),
      );
      expect(await seen('grows')).toEqual([String(bytes * 2 ** 20), quota, '']);
      expect(statusOf(pod)).toMatchObject({
        restartCount: 0,
        containerID: before,
        resources: both(cpu, memory),
        allocatedResources: { cpu, memory },
      });
    }
    const events = (await here.events('grows')).filter(({ reason = '' }) => reason.startsWith('Resize'));
    expect(events.map(({ reason }) => reason)).toEqual([
      'ResizeStarted',
      'ResizeCompleted',
      'ResizeStarted',
      'ResizeCompleted',
    ]);
    expect(events[0]?.message).toBe(
      'Pod resize started: {"containers":[{"name":"main","resources":{"limits":{"cpu":"200m","memory":"64Mi"},"requests":{"cpu":"200m","memory":"64Mi"}}}],"generation":2}',
    );
  });

  test('is started again where its policy says so', async () => {
    const resizePolicy = [{ resourceName: 'memory', restartPolicy: 'RestartContainer' }];
    await here.run('restarts', {
      terminationGracePeriodSeconds: 1,
      containers: [shell('sleep 1000', { resources: both('100m', '32Mi'), resizePolicy })],
    });
    await here.until('restarts', ({ status }) => status?.phase === 'Running');
    await resize(here, 'restarts', both('100m', '48Mi'));
    const pod = await here.until('restarts', (each) => statusOf(each)?.restartCount === 1 && isActuated(each));
    expect(statusOf(pod)?.resources).toEqual(both('100m', '48Mi'));
    expect((await seen('restarts'))[0]).toBe(String(48 * 2 ** 20));
  });

  test('keeps its memory where it uses more than it may have, and says so', async () => {
    await here.run('full', { containers: [shell('sleep 1000', { resources: both('100m', '32Mi') })] });
    await here.until('full', ({ status }) => status?.phase === 'Running');
    await resize(here, 'full', both('100m', '4Ki'));
    const pod = await here.until('full', (each) => conditions(each).some(({ reason }) => reason === 'Error'));
    expect(conditions(pod)).toMatchObject([{ type: 'PodResizeInProgress', status: 'True' }]);
    expect(conditions(pod)[0]?.message).toMatch(
      /^attempting to set container "main" memory limit \(4096\) below current usage \(\d+\)$/,
    );
    expect(statusOf(pod)?.resources).toEqual(both('100m', '32Mi'));
    await resize(here, 'full', both('100m', '32Mi'));
    await here.until('full', isActuated);
  });
});

test('a change for which the node has no room waits for it', async () => {
  await using here = await startTestNode({ makeRuntime: () => new SimulatedRuntime() });
  const { client } = here.plane;
  const { status } = await client.get(kinds.Node, { name: 'here' });
  const cpus = Number(status?.allocatable?.['cpu']);
  const run = (name: string, cpu: number) =>
    here.run(name, { containers: [{ name: 'main', image: 'x', resources: { requests: { cpu: `${cpu}m` } } }] });
  await run('large', cpus * 600);
  await run('small', cpus * 200);
  for (const name of ['large', 'small']) await here.until(name, (pod) => pod.status?.phase === 'Running');

  await resize(here, 'small', { requests: { cpu: `${cpus * 499}m` } });
  const deferred = await here.until('small', (pod) => conditions(pod)[0]?.reason === 'Deferred');
  expect(statusOf(deferred)?.allocatedResources).toEqual({ cpu: `${cpus * 200}m` });

  await client.delete(kinds.Pod, { namespace: 'default', name: 'large' }, { gracePeriodSeconds: 0 });
  const resized = await here.until('small', isActuated);
  expect(statusOf(resized)?.allocatedResources).toEqual({ cpu: `${cpus * 499}m` });
});
