import { kinds, mergePatch } from '@tektite/client';
import { clusterRoleFor, startSystems } from '@tektite/controller';
import type { KubeObject } from '@tektite/meta';
import { type ControlPlane, startControlPlane } from '@tektite/testkit';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ByoHost } from './kinds/byo-host.ts';
import { ByoMachine } from './kinds/byo-machine.ts';
import { byohSystem } from './system.ts';
import { eventually, namespace, TestWorld } from './test-support.ts';

const manager = {
  name: 'system:serviceaccount:byoh-system:byoh-controller-manager',
  groups: ['system:serviceaccounts', 'system:authenticated'],
};
const installer = {
  name: 'system:serviceaccount:byoh-system:installer',
  groups: ['system:serviceaccounts', 'system:authenticated'],
};

let plane: ControlPlane;
let world: TestWorld;
beforeEach(async () => {
  plane = await startControlPlane();
  world = new TestWorld(plane);
});
afterEach(async () => {
  await world[Symbol.asyncDispose]();
  await plane.close();
});

/** Installs a part as the administrator, and runs it as an account that has its role and nothing else. */
async function runAs(
  user: { name: string; groups: string[] },
  parts: 'manager' | 'installer',
  webhooks: object,
): Promise<void> {
  const system = byohSystem({ parts, standsInForClusterApi: true });
  const apiGroup = 'rbac.authorization.k8s.io';
  const role = clusterRoleFor(system);
  const roleRef = { apiGroup, kind: 'ClusterRole', name: role.metadata.name };
  const subjects = [{ apiGroup, kind: 'User', name: user.name }];
  await world.client.create(role as KubeObject);
  await world.client.create({
    apiVersion: `${apiGroup}/v1`,
    kind: 'ClusterRoleBinding',
    metadata: { name: `${parts}-test` },
    roleRef,
    subjects,
  } as KubeObject);
  const installed = await startSystems([system], { client: world.client, graceMs: 0 });
  await installed.stop();
  const running = await startSystems([system], {
    client: plane.clientFor(user),
    install: false,
    graceMs: 1000,
    ...webhooks,
  });
  world.onEnd(() => running.stop());
}

describe('the roles of the manager and of the default installer', () => {
  it('allow all that they do, as two accounts that have nothing else', { timeout: 60_000 }, async () => {
    await runAs(manager, 'manager', {});
    await runAs(installer, 'installer', {});
    await world.template();
    await world.cluster('c1');
    await world.dryAgent('h1');
    await world.node('h1');
    await world.machine('m1');
    await eventually(() => world.hostReady('m1')).toBe('True');
    await world.client.delete(ByoMachine, { namespace, name: 'm1' });
    await eventually(async () => (await world.byoHost('h1')).metadata.labels ?? {}).toEqual({});
    await eventually(() => world.hostCondition('h1', 'HostAgentAlive')).toBe('True');
    await eventually(() => world.events('m1')).toContain('ByoHostReleaseSucceeded');
  });

  it('allow the manager to approve a host, to give it a home and rights, and to take them away', {
    timeout: 60_000,
  }, async () => {
    await runAs(manager, 'manager', {});
    await world.bootstrapKubeconfig();
    await world.ask('h1');
    const host = world.agentClient('h1');
    const outcome = (attempt: Promise<unknown>) =>
      attempt.then(
        () => 'allowed',
        () => 'denied',
      );
    const register = () => outcome(host.create(ByoHost, { metadata: { name: 'h1', namespace }, spec: {} }));
    await eventually(register).toBe('allowed');
    const renew = () => outcome(host.get(kinds.Lease, { namespace, name: 'byoh-host-h1' }));
    await eventually(renew).toBe('allowed');
    const record = { namespace: 'byoh-system', name: 'byoh-host-h1' };
    await world.client.patch(kinds.ConfigMap, record, mergePatch({ data: { namespace: '' } }));
    await eventually(renew).toBe('denied');
  });

  it('give an installer no hosts, and no component all of the cluster', () => {
    const rules = (parts: 'manager' | 'installer') => clusterRoleFor(byohSystem({ parts })).rules ?? [];
    for (const parts of ['manager', 'installer'] as const)
      for (const { apiGroups = [], verbs } of rules(parts)) {
        expect(apiGroups).not.toContain('*');
        expect(verbs).not.toContain('*');
      }
    expect(rules('installer').flatMap(({ resources = [] }) => resources)).not.toContain('byohosts');
  });
});
