import { type ControlPlane, startControlPlane } from '@tektite/testkit';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { eventually, namespace, TestWorld } from '../test-support.ts';
import { explainMachine } from './explain-machine.ts';
import { observeMachine } from './observe-machine.ts';

let plane: ControlPlane;
let world: TestWorld;
beforeEach(async () => {
  plane = await startControlPlane();
  world = new TestWorld(plane);
  await world.manager();
  await world.template();
  await world.cluster('c1');
});
afterEach(async () => {
  await world[Symbol.asyncDispose]();
  await plane.close();
});

async function explained(): Promise<readonly string[]> {
  const steps = explainMachine(await observeMachine(world.client, namespace, 'm1'));
  return steps.map(({ state, what, why }) => `${state}: ${what}${why === '' ? '' : `: ${why}`}`);
}

describe('a machine is explained', () => {
  it('while it waits for a host, why none will do', async () => {
    await world.dryAgent('h1', { labels: { role: 'worker' } });
    await world.machine('m1', { selector: { matchLabels: { role: 'control-plane' } } });
    await eventually(() => world.hostReady('m1')).toBe('False BYOHostsUnavailable');
    const lines = await explained();
    expect(lines.slice(0, 4)).toEqual([
      'done: Cluster API owns it: Machine m1 of Cluster c1',
      'done: the infrastructure of the cluster is ready',
      'done: there is bootstrap data: Secret m1-boot',
      'waiting: it has a host: h1: the selector does not match its labels',
    ]);
    expect(lines.slice(4).every((line) => line.startsWith('ahead: '))).toBe(true);
  });

  it('when the installer has something against it', async () => {
    await world.template('bad', { bundleRepo: '', bundleType: 'k8s' });
    await world.dryAgent('h1');
    await world.machine('m1', {
      installer: {
        apiVersion: 'infrastructure.cluster.x-k8s.io/v1beta1',
        kind: 'K8sInstallerConfigTemplate',
        name: 'bad',
      },
    });
    const line =
      'failed: the installer has scripts for the host: InvalidConfiguration: bundleRepo is empty; name the registry or folder of the bundles';
    await eventually(explained).toContain(line);
  });

  it('when its bootstrap fails, and when all is done', async () => {
    let broken = true;
    await world.dryAgent('h1', { onScript: ({ name }) => (name === 'bootstrap' && broken ? 1 : undefined) });
    await world.node('h1');
    await world.machine('m1');
    await eventually(async () =>
      (await explained()).some((line) => line.startsWith('failed: the host is a node: CloudInitExecutionFailed')),
    ).toBe(true);
    broken = false;
    await eventually(() => world.hostReady('m1')).toBe('True');
    expect((await explained()).every((line) => line.startsWith('done: '))).toBe(true);
  });

  it('while its agent is silent, and it is not chosen by others', async () => {
    const agent = await world.dryAgent('h1', { heartbeatMs: 300 });
    await eventually(() => world.hostCondition('h1', 'HostAgentAlive')).toBe('True');
    await agent.stop();
    await eventually(() => world.hostCondition('h1', 'HostAgentAlive')).toBe('False HeartbeatStale');
    await world.machine('m1');
    await eventually(async () => (await explained()).at(3)).toBe('waiting: it has a host: h1: its agent is silent');
    await world.dryAgent('h1', { heartbeatMs: 300 });
    await world.node('h1');
    await eventually(() => world.hostReady('m1')).toBe('True');
  });
});
