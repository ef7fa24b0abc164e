import { kinds } from '@tektite/client';
import type { Pod } from '@tektite/schema/kubernetes';
import { virtualClock } from '@tektite/testkit';
import { describe, expect, test } from 'vitest';
import { startTestNode } from '../test-support.ts';
import { SimulatedRuntime } from './simulated-runtime.ts';

describe('simulated Pods in virtual time', () => {
  test('fail again and again, and wait up to five minutes in between', async () => {
    const clock = virtualClock();
    const runtime = new SimulatedRuntime({ clock, simulate: () => ({ runMs: 1000, exitCode: 1 }) });
    await using here = await startTestNode({ planeOptions: { clock }, makeRuntime: () => runtime });
    await here.run('flaky', { containers: [{ name: 'main', image: 'example' }] });
    const starts: number[] = [];
    const messages: string[] = [];
    let last = '';
    const begin = clock.now();
    for (let second = 0; second < 1700; second++) {
      const { status } = await here.get('flaky');
      const [container] = status?.containerStatuses ?? [];
      if (container?.containerID && container.containerID !== last) {
        last = container.containerID;
        starts.push(Math.round((clock.now() - begin) / 1000));
      }
      const message = /back-off (\S+)/.exec(container?.state?.waiting?.message ?? '')?.[1];
      if (message && message !== messages.at(-1)) messages.push(message);
      await clock.advance(1000);
    }
    expect(messages).toEqual(['10s', '20s', '40s', '1m20s', '2m40s', '5m0s']);
    // The first restart comes at once.
    const waits = starts
      .slice(1)
      .map((start, i) => start - (starts[i] as number))
      .filter((wait) => wait > 2);
    // One second of running, and one of looking only once a second.
    for (const [i, wait] of [11, 21, 41, 81, 161, 301, 301].entries())
      expect(Math.abs((waits[i] as number) - wait)).toBeLessThanOrEqual(1);
  });

  test('come and go in hundreds', async () => {
    const clock = virtualClock();
    const runtime = new SimulatedRuntime({ clock, simulate: () => ({ runMs: 60_000 }) });
    await using here = await startTestNode({ planeOptions: { clock }, makeRuntime: () => runtime });
    const count = 300;
    for (let i = 0; i < count; i++)
      await here.run(`pod-${i}`, { restartPolicy: 'Never', containers: [{ name: 'main', image: 'example' }] });
    const phases = async () => {
      const { items } = await here.plane.client.list(kinds.Pod, { namespace: 'default' });
      return items.map(({ status }: Pod) => status?.phase);
    };
    await clock.advance(30_000);
    expect((await phases()).filter((phase) => phase === 'Running')).toHaveLength(count);
    await clock.advance(31_000);
    expect((await phases()).filter((phase) => phase === 'Succeeded')).toHaveLength(count);
    expect(here.errors).toEqual([]);
  });

  test('leave no timer behind', async () => {
    const clock = virtualClock();
    const runtime = new SimulatedRuntime({ clock });
    const here = await startTestNode({ planeOptions: { clock }, makeRuntime: () => runtime });
    await here.run(
      'server',
      { containers: [{ name: 'main', image: 'example', livenessProbe: { exec: { command: ['x'] } } }] },
      {
        annotations: { 'tektite.dev/simulate': '{}' },
      },
    );
    await clock.advance(100);
    expect((await here.get('server')).status?.phase).toBe('Running');
    await here[Symbol.asyncDispose]();
    expect(clock.pendingTimers).toBe(0);
  });

  test('say what is wrong with their annotation', async () => {
    await using here = await startTestNode({ makeRuntime: (_, { clock }) => new SimulatedRuntime({ clock }) });
    await here.run(
      'bad',
      { containers: [{ name: 'main', image: 'example' }] },
      { annotations: { 'tektite.dev/simulate': '{"runMs":' } },
    );
    const pod = await here.until(
      'bad',
      ({ status }) => status?.containerStatuses?.[0]?.state?.waiting?.reason === 'CreateContainerConfigError',
    );
    expect(pod.status?.containerStatuses?.[0]?.state?.waiting?.message).toContain('tektite.dev/simulate is not JSON');
  });
});
