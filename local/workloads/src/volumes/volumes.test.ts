import { kinds, mergePatch } from '@tektite/client';
import { describe, expect, it } from 'vitest';
import { template, testCluster } from '../test-support.ts';
import { provisioner } from './storage-options.ts';

const key = { namespace: 'default', name: 'data' };
const claim = (storageClassName?: string) => ({
  metadata: key,
  spec: {
    accessModes: ['ReadWriteOnce'],
    resources: { requests: { storage: '1Gi' } },
    ...(storageClassName === undefined ? {} : { storageClassName }),
  },
});

function folders() {
  const removed: string[] = [];
  const removeFolder = async (path: string) => void removed.push(path);
  return { removed, storage: { directory: '/var/lib/volumes', removeFolder } };
}

describe('a claim', () => {
  it('that names no class gets a folder, and the folder goes with it', async () => {
    const { removed, storage } = folders();
    await using cluster = await testCluster({ storage });
    const { client } = cluster;
    await client.create(kinds.PersistentVolumeClaim, claim());
    await cluster.settle();
    const bound = await client.get(kinds.PersistentVolumeClaim, key);
    const name = `pvc-${bound.metadata.uid}`;
    expect(bound).toMatchObject({
      spec: { volumeName: name },
      status: { phase: 'Bound', capacity: { storage: '1Gi' }, accessModes: ['ReadWriteOnce'] },
    });
    expect(bound.spec?.storageClassName).toBeUndefined();
    expect(bound.metadata.annotations).toBeUndefined();
    const path = `/var/lib/volumes/${name}_default_data`;
    const volume = await client.get(kinds.PersistentVolume, { name });
    expect(volume).toMatchObject({ spec: { hostPath: { path } }, status: { phase: 'Bound' } });
    await client.delete(kinds.PersistentVolumeClaim, key);
    await cluster.settle();
    expect((await client.list(kinds.PersistentVolumeClaim)).items).toEqual([]);
    expect((await client.list(kinds.PersistentVolume)).items).toEqual([]);
    expect(removed).toEqual([path]);
  });

  it('of the class "standard" gets a folder, with the notes that dynamic provisioning leaves', async () => {
    await using cluster = await testCluster({ storage: folders().storage });
    const { client } = cluster;
    await client.create(kinds.PersistentVolumeClaim, claim('standard'));
    await cluster.settle();
    const bound = await client.get(kinds.PersistentVolumeClaim, key);
    expect(bound).toMatchObject({
      metadata: {
        annotations: {
          'pv.kubernetes.io/bind-completed': 'yes',
          'pv.kubernetes.io/bound-by-controller': 'yes',
          'volume.kubernetes.io/storage-provisioner': provisioner,
        },
      },
      spec: { volumeName: `pvc-${bound.metadata.uid}`, storageClassName: 'standard' },
      status: { phase: 'Bound', capacity: { storage: '1Gi' }, accessModes: ['ReadWriteOnce'] },
    });
  });

  it('of the empty class waits for a volume made beforehand', async () => {
    await using cluster = await testCluster({ storage: folders().storage });
    const { client } = cluster;
    await client.create(kinds.PersistentVolumeClaim, claim(''));
    await cluster.settle();
    expect((await client.get(kinds.PersistentVolumeClaim, key)).status?.phase).toBe('Pending');
    const { items } = await client.list(kinds.Event);
    expect(items.find(({ involvedObject }) => involvedObject.name === 'data')?.reason).toBe('FailedBinding');
  });

  it('waits for its first Pod where its class says so, and the Pod waits for it', async () => {
    await using cluster = await testCluster({ storage: folders().storage });
    const { client } = cluster;
    const metadata = { name: 'late' };
    await client.create(kinds.StorageClass, { metadata, provisioner, volumeBindingMode: 'WaitForFirstConsumer' });
    await client.create(kinds.PersistentVolumeClaim, claim('late'));
    await cluster.settle();
    expect((await client.get(kinds.PersistentVolumeClaim, key)).status?.phase).toBe('Pending');
    const events = (await client.list(kinds.Event)).items.filter(
      ({ involvedObject }) => involvedObject.name === 'data',
    );
    expect(events.map(({ reason, message }) => [reason, message])).toEqual([
      ['WaitForFirstConsumer', 'waiting for first consumer to be created before binding'],
    ]);
    const volumes = [{ name: 'v', persistentVolumeClaim: { claimName: 'data' } }];
    await client.create(kinds.Pod, {
      metadata: { namespace: 'default', name: 'user' },
      spec: { ...template('a').spec, volumes },
    });
    await cluster.settle();
    const bound = await client.get(kinds.PersistentVolumeClaim, key);
    expect(bound.metadata.annotations?.['volume.kubernetes.io/selected-node']).toBe('node-1');
    expect(bound.status?.phase).toBe('Bound');
    expect((await client.get(kinds.Pod, { namespace: 'default', name: 'user' })).status?.phase).toBe('Running');
  });

  it('is kept while a Pod uses it', async () => {
    await using cluster = await testCluster({ storage: folders().storage });
    const { client } = cluster;
    await client.create(kinds.PersistentVolumeClaim, claim());
    const volumes = [{ name: 'v', persistentVolumeClaim: { claimName: 'data' } }];
    await client.create(kinds.Pod, {
      metadata: { namespace: 'default', name: 'user' },
      spec: { ...template('a').spec, volumes },
    });
    await cluster.settle();
    await client.delete(kinds.PersistentVolumeClaim, key);
    await cluster.settle();
    expect((await client.get(kinds.PersistentVolumeClaim, key)).metadata.finalizers).toEqual([
      'kubernetes.io/pvc-protection',
    ]);
    await client.delete(kinds.Pod, { namespace: 'default', name: 'user' });
    await cluster.settle();
    expect((await client.list(kinds.PersistentVolumeClaim)).items).toEqual([]);
  });

  it('takes the smallest volume that will do, which is kept when the claim is deleted', async () => {
    const { removed, storage } = folders();
    await using cluster = await testCluster({ storage });
    const { client } = cluster;
    for (const [name, size] of [
      ['big', '10Gi'],
      ['small', '1Gi'],
      ['tiny', '1Mi'],
    ] as const)
      await client.create(kinds.PersistentVolume, {
        metadata: { name },
        spec: { capacity: { storage: size }, accessModes: ['ReadWriteOnce'], hostPath: { path: `/data/${name}` } },
      });
    await client.create(kinds.PersistentVolumeClaim, claim(''));
    await cluster.settle();
    expect((await client.get(kinds.PersistentVolumeClaim, key)).spec?.volumeName).toBe('small');
    const phases = async () =>
      (await client.list(kinds.PersistentVolume)).items.map(({ metadata, status }) => [metadata.name, status?.phase]);
    expect(await phases()).toEqual([
      ['big', 'Available'],
      ['small', 'Bound'],
      ['tiny', 'Available'],
    ]);
    await client.delete(kinds.PersistentVolumeClaim, key);
    await cluster.settle();
    expect(await phases()).toEqual([
      ['big', 'Available'],
      ['small', 'Released'],
      ['tiny', 'Available'],
    ]);
    expect(removed).toEqual([]);
  });

  it('becomes Lost when its volume is deleted', async () => {
    await using cluster = await testCluster({ storage: folders().storage });
    const { client } = cluster;
    await client.create(kinds.PersistentVolumeClaim, claim());
    await cluster.settle();
    const name = (await client.get(kinds.PersistentVolumeClaim, key)).spec?.volumeName ?? '';
    await client.delete(kinds.PersistentVolume, { name });
    await client.patch(kinds.PersistentVolume, { name }, mergePatch({ metadata: { finalizers: [] } }));
    await cluster.settle();
    expect((await client.get(kinds.PersistentVolumeClaim, key)).status?.phase).toBe('Lost');
  });
});

describe('a VolumeAttributesClass', () => {
  it('stays as long as a claim uses it, and is deleted then', async () => {
    await using cluster = await testCluster();
    const { client } = cluster;
    const fast = { name: 'fast' };
    const at = { namespace: 'default', name: 'data' };
    await client.create(kinds.VolumeAttributesClass, {
      metadata: fast,
      driverName: 'x.example.com',
      parameters: { iops: '9' },
    });
    await client.create(kinds.PersistentVolumeClaim, {
      metadata: at,
      spec: {
        accessModes: ['ReadWriteOnce'],
        storageClassName: 'none',
        resources: { requests: { storage: '1Gi' } },
        volumeAttributesClassName: 'fast',
      },
    });
    await client.delete(kinds.VolumeAttributesClass, fast);
    await cluster.settle();
    const { finalizers } = (await client.get(kinds.VolumeAttributesClass, fast)).metadata;
    expect(finalizers).toEqual(['kubernetes.io/vac-protection']);
    await client.delete(kinds.PersistentVolumeClaim, at);
    await cluster.settle();
    expect((await client.list(kinds.VolumeAttributesClass)).items).toEqual([]);
  });
});
