import { type Client, kinds, retryOnConflict } from '@tektite/client';
import { defineKind, s } from '@tektite/schema';
import type { CustomResourceDefinition } from '@tektite/schema/kubernetes';
import type { Cluster } from '@tektite/testkit';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { definitionsOf, installKinds } from './definitions.ts';
import { migrateStorage, storeVersion } from './migrate-storage.ts';

const group = 'migration.tektite.dev';
const gear = (version: string, kind: string) =>
  defineKind({ group, version, kind, fields: { spec: s.object({ size: s.integer().optional() }).optional() } });

/** The denial of a definition that drops a version which objects may be stored in. Older servers only name the version. */
const versionIsStored = /until a storage migration ensures no data remains|must appear in spec\.versions/;

/** Cases for every server. */
export function migrationCases(where: string, start: () => Promise<Cluster>): void {
  describe.concurrent(`a migration of stored objects ${where}`, () => {
    let cluster: Cluster;
    let client: Client;
    beforeAll(async () => {
      cluster = await start();
      client = cluster.client;
      await client.create(kinds.Namespace, { metadata: { name: 'other' } });
    });
    afterAll(() => cluster?.close());

    const definition = (name: string) => client.get(kinds.CustomResourceDefinition, { name });
    /** As an installation does that knows nothing of versions of before. */
    const replace = (next: CustomResourceDefinition) =>
      retryOnConflict(async () => {
        const { resourceVersion } = (await definition(next.metadata.name ?? '')).metadata;
        await client.update(kinds.CustomResourceDefinition, {
          ...next,
          metadata: { ...next.metadata, resourceVersion },
        } as never);
      });
    const only = (...versions: ReturnType<typeof gear>[]) => definitionsOf(versions)[0] as CustomResourceDefinition;

    it('lets an upgrade drop the old version, and keeps every object', async () => {
      const [old, next] = [gear('v1beta1', 'Gear'), gear('v1', 'Gear')];
      const name = 'gears.migration.tektite.dev';
      await installKinds(client, [old]);
      for (const namespace of ['default', 'other'])
        await client.create(old, { metadata: { namespace, name: 'a' }, spec: { size: 1 } });
      await installKinds(client, [next, old]);
      await expect(replace(only(next))).rejects.toThrow(versionIsStored);
      const before = await client.get(next, { namespace: 'other', name: 'a' });

      expect(await migrateStorage(client, name)).toEqual({
        definition: name,
        from: ['v1beta1'],
        to: 'v1',
        migrated: 2,
        failed: [],
      });
      expect((await definition(name)).status?.storedVersions).toEqual(['v1']);
      await replace(only(next));
      const after = await client.get(next, { namespace: 'other', name: 'a' });
      expect(after.metadata.resourceVersion).not.toBe(before.metadata.resourceVersion);
      expect({ ...after, metadata: { ...after.metadata, resourceVersion: '' } }).toEqual({
        ...before,
        metadata: { ...before.metadata, resourceVersion: '' },
      });
    });

    it('writes nothing where there is nothing to migrate', async () => {
      const wheel = gear('v1', 'Wheel');
      await installKinds(client, [wheel]);
      const { metadata } = await client.create(wheel, { metadata: { namespace: 'default', name: 'a' } });
      expect(await migrateStorage(client, 'wheels.migration.tektite.dev')).toBeUndefined();
      expect((await client.list(wheel)).items[0]?.metadata.resourceVersion).toBe(metadata.resourceVersion);
    });

    it('back to an older version lets a downgrade install the definition of before', async () => {
      const [old, next] = [gear('v1', 'Axle'), gear('v2', 'Axle')];
      const name = 'axles.migration.tektite.dev';
      await installKinds(client, [next, old]);
      await client.create(next, { metadata: { namespace: 'default', name: 'a' }, spec: { size: 1 } });
      await expect(replace(only(old))).rejects.toThrow(versionIsStored);
      await expect(storeVersion(client, name, 'v3')).rejects.toMatchObject({
        code: 'VERSION_NOT_SERVED',
        message: 'the definition axles.migration.tektite.dev does not serve v3; it serves v2, v1',
      });

      await storeVersion(client, name, 'v1');
      expect(await migrateStorage(client, name)).toMatchObject({ from: ['v2'], to: 'v1', migrated: 1, failed: [] });
      await replace(only(old));
      expect((await client.get(old, { namespace: 'default', name: 'a' })).spec).toEqual({ size: 1 });
    });

    it('goes on after an object that cannot be written, names it, and remembers the old version', async () => {
      const [old, next] = [gear('v1', 'Belt'), gear('v2', 'Belt')];
      const name = 'belts.migration.tektite.dev';
      await installKinds(client, [old]);
      for (const own of ['a', 'b', 'c']) await client.create(old, { metadata: { namespace: 'default', name: own } });
      await installKinds(client, [next, old]);
      const rules = [
        { apiGroups: ['apiextensions.k8s.io'], resources: ['customresourcedefinitions'], verbs: ['get'] },
        { apiGroups: [group], resources: ['belts'], verbs: ['list'] },
        { apiGroups: [group], resources: ['belts'], resourceNames: ['a', 'c'], verbs: ['patch'] },
      ];
      const metadata = { name: 'migrates' };
      await client.create(kinds.ClusterRole, { metadata, rules });
      const roleRef = { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'migrates' };
      const subjects = [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name: 'migrator' }];
      await client.create(kinds.ClusterRoleBinding, { metadata, roleRef, subjects });
      const migrator = cluster.clientFor(cluster.transport({ name: 'migrator', groups: ['system:authenticated'] }));
      await vi.waitFor(() => migrator.list(old), { timeout: 10_000 });

      const outcome = await migrateStorage(migrator, name);
      expect(outcome).toMatchObject({ from: ['v1'], to: 'v2', migrated: 2, failed: [{ object: 'default/b' }] });
      expect(outcome?.failed[0]?.error.message).toContain('cannot patch resource "belts"');
      expect((await definition(name)).status?.storedVersions).toEqual(['v1', 'v2']);
    });
  });
}
