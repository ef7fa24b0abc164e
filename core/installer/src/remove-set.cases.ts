import { kinds, mergePatch } from '@tektite/client';
import { type DynamicObject, isStatusError } from '@tektite/meta';
import type { Cluster } from '@tektite/testkit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { connectorsDialect, tektonDialect } from './dialects/test-support.ts';
import type { InstallerDialect } from './dialect.ts';
import { describeLeft, removeSet } from './remove-set.ts';
import { clusterRole, configMap, definition, deployment, job, TestSet } from './test-support.ts';

const claim = (name: string): DynamicObject => ({
  apiVersion: 'v1',
  kind: 'PersistentVolumeClaim',
  metadata: { name, namespace: 'default' },
  spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
});
const hook = (name: string): DynamicObject => ({
  apiVersion: 'admissionregistration.k8s.io/v1',
  kind: 'ValidatingWebhookConfiguration',
  metadata: { name },
});

/** Cases for every server. */
export function removalCases(where: string, start: () => Promise<Cluster>): void {
  describe(`removing a set ${where}`, () => {
    let cluster: Cluster;
    beforeAll(async () => void (cluster = await start()));
    afterAll(() => cluster?.close());
    const remove = (set: TestSet) => removeSet(cluster.client, set, set.dialect);
    const isGone = (object: DynamicObject) =>
      cluster.client.get(object, object.metadata as { name: string }).then(
        () => false,
        (error: unknown) => isStatusError(error, 'NotFound'),
      );

    it.each([
      ['tekton', tektonDialect],
      ['connectors', connectorsDialect],
    ] as [string, InstallerDialect][])('keeps definitions and claims (%s)', async (name, dialect) => {
      const { client } = cluster;
      const objects = [
        definition(`${name}things`, `${name}Thing`),
        claim(`${name}-data`),
        configMap(`${name}-map`),
        clusterRole(`${name}-role`),
        deployment(`${name}-web`),
        hook(`${name}-hook`),
      ];
      const set = await TestSet.create(client, dialect, `remove-${name}`, objects);
      await set.run();
      const report = await remove(set);
      const deleted = report.deleted.map(({ kind }) => kind);
      expect(deleted).toEqual(
        name === 'tekton'
          ? ['ClusterRole', 'ValidatingWebhookConfiguration', 'ConfigMap', 'Deployment']
          : ['ValidatingWebhookConfiguration', 'Deployment', 'ConfigMap', 'ClusterRole'],
      );
      expect(await Promise.all(objects.map(isGone))).toEqual([false, false, true, true, true, true]);
      expect(await remove(set)).toMatchObject({ done: true, deleted: [], result: { type: 'done' } });
    });

    it('waits for what finalizers hold, and says what that is', async () => {
      const { client } = cluster;
      const set = await TestSet.create(client, connectorsDialect, 'held', [configMap('held')]);
      await set.run();
      const key = { namespace: 'default', name: 'held' };
      await client.patch(kinds.ConfigMap, key, mergePatch({ metadata: { finalizers: ['example.com/hold'] } }));
      const report = await remove(set);
      expect(report).toMatchObject({ done: false, result: { type: 'requeueAfter', milliseconds: 5_000 } });
      expect(describeLeft(report.left)).toBe('configmap default/held');
      await client.patch(kinds.ConfigMap, key, mergePatch({ metadata: { finalizers: null } }));
      expect((await remove(set)).done).toBe(true);
    });

    it('also removes what left the set and was not pruned, and leaves what is not its own', async () => {
      const { client } = cluster;
      const set = await TestSet.create(client, connectorsDialect, 'left', [configMap('left-a'), job('left-job')]);
      await set.run();
      set.objects = [];
      await client.create(configMap('foreign'));
      set.objects = [configMap('foreign')];
      expect((await remove(set)).deleted.map(({ name }) => name)).toEqual(['left-job', 'left-a']);
      expect(await isGone(configMap('foreign'))).toBe(false);
    });

    it('ignores kinds that are not served', async () => {
      const { client } = cluster;
      const set = await TestSet.create(client, connectorsDialect, 'unknown', [
        { apiVersion: 'nowhere.example.com/v1', kind: 'Ghost', metadata: { name: 'boo', namespace: 'default' } },
      ]);
      expect(await remove(set)).toMatchObject({ done: true });
    });
  });
}
