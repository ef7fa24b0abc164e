import { kinds } from '@tektite/client';
import { controllerReference, type KubeObject, ownerReference } from '@tektite/meta';
import { faultyTransport, startControlPlane, virtualClock } from '@tektite/testkit';
import { describe, expect, it } from 'vitest';
import { testCluster, type TestCluster } from '../test-support.ts';
import { GarbageCollector } from './garbage-collector.ts';

const namespace = 'default';

function configMap(
  { client }: TestCluster,
  name: string,
  owners: readonly KubeObject[] = [],
  extra: { finalizers?: string[]; namespace?: string } = {},
) {
  const ownerReferences = owners.map((owner) => ({ ...ownerReference(owner), blockOwnerDeletion: true }));
  return client.create(kinds.ConfigMap, { metadata: { namespace, name, ownerReferences, ...extra } });
}

async function names({ client }: TestCluster): Promise<string[]> {
  const { items } = await client.list(kinds.ConfigMap, { namespace });
  return items.map(({ metadata }) => metadata.name ?? '').filter((name) => name !== 'kube-root-ca.crt');
}

describe('garbage collection', () => {
  it.each([
    ['whole objects', false],
    ['metadata alone', true],
  ])('deletes what has lost its last owner, down to the last generation, with %s', async (_title, metadata) => {
    await using cluster = await testCluster({ metadata });
    const owner = await configMap(cluster, 'owner');
    const other = await configMap(cluster, 'other');
    const child = await configMap(cluster, 'child', [owner]);
    await configMap(cluster, 'grandchild', [child]);
    await configMap(cluster, 'shared', [owner, other]);
    await cluster.settle();
    await cluster.client.delete(kinds.ConfigMap, { namespace, name: 'owner' });
    await cluster.settle();
    expect(await names(cluster)).toEqual(['other', 'shared']);
    const shared = await cluster.client.get(kinds.ConfigMap, { namespace, name: 'shared' });
    expect(shared.metadata.ownerReferences?.map(({ name }) => name)).toEqual(['other']);
  });

  it('lets an owner wait for the dependents that block it', async () => {
    await using cluster = await testCluster();
    const { client } = cluster;
    const owner = await configMap(cluster, 'owner');
    const child = await configMap(cluster, 'child', [owner]);
    await configMap(cluster, 'held', [child], { finalizers: ['example.com/hold'] });
    await cluster.settle();
    await client.delete(kinds.ConfigMap, { namespace, name: 'owner' }, { propagationPolicy: 'Foreground' });
    await cluster.settle();
    expect(await names(cluster)).toEqual(['child', 'held', 'owner']);
    expect((await client.get(kinds.ConfigMap, { namespace, name: 'owner' })).metadata.finalizers).toEqual([
      'foregroundDeletion',
    ]);
    const { resourceVersion: _, ...metadata } = (await client.get(kinds.ConfigMap, { namespace, name: 'held' }))
      .metadata;
    await client.update(kinds.ConfigMap, { metadata: { ...metadata, finalizers: [] } });
    await cluster.settle();
    expect(await names(cluster)).toEqual([]);
  });

  it('leaves orphans behind, who forget their owner', async () => {
    await using cluster = await testCluster();
    const owner = await configMap(cluster, 'owner');
    await configMap(cluster, 'child', [owner]);
    await cluster.settle();
    await cluster.client.delete(kinds.ConfigMap, { namespace, name: 'owner' }, { propagationPolicy: 'Orphan' });
    await cluster.settle();
    expect(await names(cluster)).toEqual(['child']);
    expect((await cluster.client.get(kinds.ConfigMap, { namespace, name: 'child' })).metadata).not.toHaveProperty(
      'ownerReferences',
    );
  });

  it('deletes the dependents of an owner that was created and deleted in a gap of its watch', async () => {
    const clock = virtualClock();
    await using plane = await startControlPlane({ clock });
    let hasGap = false;
    const transport = faultyTransport(plane.transport(), {
      clock,
      decide: (fault, { path }) => {
        if (!hasGap || !path.endsWith('/configmaps')) return undefined;
        return fault === 'expire' || fault === 'delay' ? 1 : undefined;
      },
      maxDelayMs: 30_000,
    });
    await using collector = new GarbageCollector({ client: plane.clientFor(transport), record: () => undefined });
    collector.start();
    await clock.advance(5000);
    hasGap = true;
    const owner = await plane.client.create(kinds.ConfigMap, { metadata: { namespace, name: 'owner' } });
    await plane.client.create(kinds.Secret, {
      metadata: { namespace, name: 'child', ownerReferences: [ownerReference(owner)] },
    });
    await clock.advance(5000);
    await plane.client.delete(kinds.ConfigMap, { namespace, name: 'owner' });
    await clock.advance(300_000);
    const { items } = await plane.client.list(kinds.Secret, { namespace });
    expect(items.map(({ metadata }) => metadata.name)).toEqual([]);
  });

  it('tries soon again when a read failed, however long the first lists took', async () => {
    const clock = virtualClock();
    await using plane = await startControlPlane({ clock });
    const owner = await plane.client.create(kinds.ConfigMap, { metadata: { namespace, name: 'owner' } });
    await plane.client.create(kinds.Secret, {
      metadata: { namespace, name: 'child', ownerReferences: [ownerReference(owner)] },
    });
    await plane.client.delete(kinds.ConfigMap, { namespace, name: 'owner' });
    let failures = 0;
    const transport = faultyTransport(plane.transport(), {
      clock,
      decide: (fault, { path }) => {
        if (fault === 'delay' && path.endsWith('/leases')) return 1;
        return fault === 'fail' && path.endsWith('/configmaps/owner') && failures++ === 0 ? 1 : undefined;
      },
      maxDelayMs: 60_000,
    });
    await using collector = new GarbageCollector({ client: plane.clientFor(transport), record: () => undefined });
    collector.start();
    await clock.advance(70_000);
    expect(failures).toBeGreaterThan(1);
    expect((await plane.client.list(kinds.Secret, { namespace })).items).toEqual([]);
  });

  it('ends a circle of owners that wait for each other', async () => {
    await using cluster = await testCluster();
    const { client } = cluster;
    const first = await configMap(cluster, 'first');
    const second = await configMap(cluster, 'second', [first]);
    await client.update(kinds.ConfigMap, {
      metadata: { ...first.metadata, ownerReferences: [{ ...ownerReference(second), blockOwnerDeletion: true }] },
    });
    await cluster.settle();
    await client.delete(kinds.ConfigMap, { namespace, name: 'first' }, { propagationPolicy: 'Foreground' });
    await cluster.settle(30_000);
    expect(await names(cluster)).toEqual([]);
  });

  it('takes an owner of another uid, or that never was, for absent', async () => {
    await using cluster = await testCluster();
    const owner = await configMap(cluster, 'owner');
    await configMap(cluster, 'impostor', [
      { ...owner, metadata: { ...owner.metadata, uid: '00000000-0000-4000-8000-000000000000' } },
    ]);
    await configMap(cluster, 'right', [owner]);
    await cluster.settle();
    expect(await names(cluster)).toEqual(['owner', 'right']);
  });

  it('deletes who names an owner of another namespace, says so, and spares the others', async () => {
    await using cluster = await testCluster();
    const { client } = cluster;
    await client.create(kinds.Namespace, { metadata: { name: 'far' } });
    const far = await configMap(cluster, 'far', [], { namespace: 'far' });
    await client.create(kinds.ConfigMap, {
      metadata: { namespace: 'far', name: 'near-it', ownerReferences: [ownerReference(far)] },
    });
    await cluster.settle();
    await configMap(cluster, 'stranger', [far]);
    await cluster.settle();
    expect(await names(cluster)).toEqual([]);
    expect(
      (await client.list(kinds.ConfigMap, { namespace: 'far' })).items.map(({ metadata }) => metadata.name),
    ).toContain('near-it');
    const events = (await client.list(kinds.Event, { namespace })).items.filter(
      ({ reason }) => reason === 'OwnerRefInvalidNamespace',
    );
    expect(events[0]?.message).toBe(
      `ownerRef [v1/ConfigMap, namespace: default, name: far, uid: ${far.metadata.uid}] does not exist in namespace "default"`,
    );
  });

  it('follows owners that belong to no namespace, and keeps dependents of kinds that are not served', async () => {
    await using cluster = await testCluster();
    const { client } = cluster;
    const role = await client.create(kinds.ClusterRole, { metadata: { name: 'owner' }, rules: [] });
    await configMap(cluster, 'child', [role]);
    await configMap(cluster, 'lost', [
      { apiVersion: 'nosuch.example.com/v1', kind: 'Nosuch', metadata: { name: 'x', uid: 'u' } },
    ]);
    await cluster.settle();
    await client.delete(kinds.ClusterRole, { name: 'owner' });
    await cluster.settle();
    expect(await names(cluster)).toEqual(['lost']);
  });

  it('knows kinds that come later', async () => {
    await using cluster = await testCluster();
    const { client } = cluster;
    const schema = { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } };
    await client.create(kinds.CustomResourceDefinition, {
      metadata: { name: 'gadgets.example.com' },
      spec: {
        group: 'example.com',
        scope: 'Namespaced',
        names: { plural: 'gadgets', singular: 'gadget', kind: 'Gadget', listKind: 'GadgetList' },
        versions: [{ name: 'v1', served: true, storage: true, schema }],
      },
    });
    await cluster.settle();
    const gadget = await client.create({
      apiVersion: 'example.com/v1',
      kind: 'Gadget',
      metadata: { namespace, name: 'g' },
    } as KubeObject);
    await client.create(kinds.ConfigMap, {
      metadata: { namespace, name: 'part', ownerReferences: [controllerReference(gadget)] },
    });
    await cluster.settle();
    await client.delete(gadget, { namespace, name: 'g' });
    await cluster.settle();
    expect(await names(cluster)).toEqual([]);
  });

  it('deletes a dependent created after its owner was deleted, although older dependents are still there', async () => {
    await using cluster = await testCluster();
    const owner = await configMap(cluster, 'owner');
    await configMap(cluster, 'held', [owner], { finalizers: ['example.com/hold'] });
    await cluster.settle();
    await cluster.client.delete(kinds.ConfigMap, { namespace, name: 'owner' });
    await cluster.settle();
    await configMap(cluster, 'late', [owner]);
    await cluster.settle();
    expect(await names(cluster)).toEqual(['held']);
  });
});
