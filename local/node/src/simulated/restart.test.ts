import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { kinds } from '@tektite/client';
import type { Pod } from '@tektite/schema/kubernetes';
import { startControlPlane } from '@tektite/testkit';
import { expect, it } from 'vitest';
import { startNode } from '../start-node.ts';
import { SimulatedRuntime } from './simulated-runtime.ts';

const key = { namespace: 'default', name: 'server' };
const probe = { readinessProbe: { tcpSocket: { port: 80 } } };

const asBefore = {
  ready: 'True',
  states: ['prepare terminated', 'beside running', 'again terminated', 'main running'],
};

it('servers go on, tasks end, and both are as before when the node starts again', async () => {
  await using plane = await startControlPlane();
  const { client } = plane;
  const dataDir = await mkdtemp(join(tmpdir(), 'tektite-simulated-'));
  const start = () =>
    startNode({ client, runtime: new SimulatedRuntime({ answersProbes: true }), name: 'here', dataDir });
  const create = (name: string, spec: object) =>
    client.create(kinds.Pod, { metadata: { ...key, name }, spec: { nodeName: 'here', ...spec } } as Pod);
  const read = async () => {
    const { status } = await client.get(kinds.Pod, key);
    const states = [...(status?.initContainerStatuses ?? []), ...(status?.containerStatuses ?? [])];
    return {
      ready: status?.conditions?.find(({ type }) => type === 'Ready')?.status,
      states: states.map(({ name, state }) => `${name} ${Object.keys(state ?? {})[0]}`),
      restarts: status?.containerStatuses?.[0]?.restartCount,
    };
  };
  const phaseOf = async (name: string) => (await client.get(kinds.Pod, { ...key, name })).status?.phase;
  try {
    {
      await using _ = await start();
      await create('server', {
        initContainers: [
          { name: 'prepare', image: 'a' },
          { name: 'beside', image: 'a', restartPolicy: 'Always', ...probe },
          { name: 'again', image: 'a' },
        ],
        containers: [{ name: 'main', image: 'a', ...probe }],
      });
      await create('task', { restartPolicy: 'Never', containers: [{ name: 'main', image: 'a' }] });
      await create('retried', { restartPolicy: 'OnFailure', containers: [{ name: 'main', image: 'a' }] });
      await expect.poll(read).toEqual({ ...asBefore, restarts: 0 });
      for (const name of ['task', 'retried']) await expect.poll(() => phaseOf(name)).toBe('Succeeded');
    }
    for (const restarts of [1, 2]) {
      await using _ = await start();
      await expect.poll(read).toEqual({ ...asBefore, restarts });
      for (const name of ['task', 'retried']) expect(await phaseOf(name)).toBe('Succeeded');
    }
  } finally {
    await rm(dataDir, { recursive: true, force: true });
  }
});
