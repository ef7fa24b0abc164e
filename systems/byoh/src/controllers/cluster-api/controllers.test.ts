import { kinds, mergePatch } from '@tektite/client';
import { type ControlPlane, startControlPlane } from '@tektite/testkit';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ByoCluster } from '../../kinds/byo-cluster.ts';
import { ByoMachine } from '../../kinds/byo-machine.ts';
import { Cluster, Machine } from '../../kinds/cluster-api.ts';
import { emptyCloudConfig, eventually, namespace, TestWorld } from '../../test-support.ts';
import { secretType } from '../../wire-names.ts';

describe('where Cluster API is not installed', () => {
  let plane: ControlPlane;
  let world: TestWorld;
  const machine = () => world.client.get(Machine, { namespace, name: 'm1' });
  const phase = async () => (await machine()).status?.phase;

  beforeEach(async () => {
    plane = await startControlPlane();
    world = new TestWorld(plane);
  });
  afterEach(async () => {
    await world[Symbol.asyncDispose]();
    await plane.close();
  });

  /** The objects that users create, and nothing else. */
  async function createAll(): Promise<void> {
    const { client } = world;
    const reference = (kind: string, name: string) => ({ apiVersion: `${ByoMachine.group}/v1beta1`, kind, name });
    const kubeconfig = Buffer.from(JSON.stringify({ apiVersion: 'v1', kind: 'Config' })).toString('base64');
    await client.create(kinds.Secret, { metadata: { name: 'c1-kubeconfig', namespace }, data: { value: kubeconfig } });
    await client.create(kinds.Secret, {
      metadata: { name: 'boot', namespace },
      type: secretType,
      stringData: { value: emptyCloudConfig },
    });
    await client.create(Cluster, {
      metadata: { name: 'c1', namespace },
      spec: {
        controlPlaneEndpoint: { host: '10.0.0.9', port: 6443 },
        infrastructureRef: reference('ByoCluster', 'c1'),
      },
    });
    await client.create(ByoCluster, { metadata: { name: 'c1', namespace }, spec: {} });
    await client.create(Machine, {
      metadata: { name: 'm1', namespace },
      spec: {
        clusterName: 'c1',
        version: 'v1.26.6',
        bootstrap: { dataSecretName: 'boot' },
        infrastructureRef: reference('ByoMachine', 'm1'),
      },
    });
    const installerRef = { ...reference('K8sInstallerConfigTemplate', 't1'), namespace };
    await client.create(ByoMachine, { metadata: { name: 'm1', namespace }, spec: { installerRef } });
  }

  it('a Machine becomes a node, and gives its host back when it is deleted', async () => {
    const openWorkload = async () => plane.clientFor({ name: 'admin', groups: ['system:masters'] });
    await world.manager({ standsInForClusterApi: true, openWorkload });
    await world.template();
    await createAll();
    await world.dryAgent('h1');
    await eventually(phase).toBe('Provisioning');
    await world.node('h1');
    await eventually(phase).toBe('Running');
    expect(await machine()).toMatchObject({
      spec: { providerID: expect.stringMatching(/^byoh:\/\/h1\//) },
      status: { infrastructureReady: true, bootstrapReady: true, nodeRef: { kind: 'Node', name: 'h1' } },
    });
    expect((await world.client.get(Cluster, { namespace, name: 'c1' })).status?.infrastructureReady).toBe(true);
    await world.client.delete(Machine, { namespace, name: 'm1' });
    await eventually(() => world.find(Machine, 'm1')).toBeUndefined();
    expect(await world.find(ByoMachine, 'm1')).toBeUndefined();
    await eventually(async () => (await world.byoHost('h1')).metadata.labels ?? {}).toEqual({});
  });

  it('a Machine whose ByoMachine was deleted says that it failed', async () => {
    const openWorkload = async () => plane.clientFor({ name: 'admin', groups: ['system:masters'] });
    await world.manager({ standsInForClusterApi: true, openWorkload });
    await world.template();
    await createAll();
    await world.dryAgent('h1');
    await world.node('h1');
    await eventually(phase).toBe('Running');
    await world.client.delete(ByoMachine, { namespace, name: 'm1' });
    await eventually(phase).toBe('Failed');
  });

  it('nothing is done for a Cluster API that is there', async () => {
    await world.manager();
    const name = 'machines.cluster.x-k8s.io';
    const labels = { 'cluster.x-k8s.io/provider': 'cluster-api' };
    await world.client.patch(kinds.CustomResourceDefinition, { name }, mergePatch({ metadata: { labels } }));
    await world[Symbol.asyncDispose]();
    world = new TestWorld(plane);
    await world.manager({ standsInForClusterApi: true });
    await world.template();
    await createAll();
    // By the time that a host has registered, a stand-in would have seen the Machine.
    await world.dryAgent('h1');
    expect(await machine()).not.toHaveProperty('status');
    expect((await machine()).metadata).not.toHaveProperty('finalizers');
    expect((await world.byoMachine('m1')).metadata).not.toHaveProperty('ownerReferences');
  });
});
