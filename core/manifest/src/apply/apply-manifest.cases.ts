import { kinds, mergePatch } from '@tektite/client';
import { isStatusError } from '@tektite/meta';
import type { Cluster } from '@tektite/testkit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { deleteManifest } from '../delete/delete-manifest.ts';
import { referenceTo } from '../object-identity.ts';
import { configMap, definition, deployment, job, manifestOf, widget } from '../test-support.ts';
import { waitForObjects } from '../wait/wait-for-objects.ts';
import { applyManifest, attemptApply } from './apply-manifest.ts';

/** Cases for every server. */
export function applyCases(where: string, start: () => Promise<Cluster>): void {
  describe(`applying a manifest ${where}`, () => {
    let cluster: Cluster;
    beforeAll(async () => void (cluster = await start()));
    afterAll(() => cluster?.close());
    const actions = (report: Awaited<ReturnType<typeof attemptApply>>) => report.results.map(({ action }) => action);

    it('creates, changes, and leaves alone what is as it should be', async () => {
      const { client } = cluster;
      expect(actions(await applyManifest(client, manifestOf(configMap('one'), deployment('web'))))).toEqual([
        'created',
        'created',
      ]);
      const changed = manifestOf(configMap('one', { a: '2' }), deployment('web'));
      expect(actions(await applyManifest(client, changed))).toEqual(['configured', 'unchanged']);
      expect((await client.get(kinds.ConfigMap, { namespace: 'default', name: 'one' })).data).toEqual({ a: '2' });
    });

    it('gives no more than metadata back when that is enough, and reports the actions all the same', async () => {
      const { client } = cluster;
      const options = { resultObjects: 'metadata' } as const;
      const first = await applyManifest(client, manifestOf(definition('pins', 'Pin'), configMap('slim')), options);
      expect(actions(first)).toEqual(['created', 'created']);
      const map = first.results[1]?.object;
      expect(map).toMatchObject({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'slim' } });
      expect(map?.data).toBeUndefined();
      const changed = manifestOf(definition('pins', 'Pin'), configMap('slim', { a: '2' }));
      expect(actions(await applyManifest(client, changed, options))).toEqual(['unchanged', 'configured']);
    });

    it('makes what is in a new namespace, and does not ask whether it is there', async () => {
      const { client } = cluster;
      const inside = { ...configMap('inside'), metadata: { name: 'inside', namespace: 'brand-new' } };
      const manifest = manifestOf(
        { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'brand-new', labels: { a: 'b' } } },
        inside,
      );
      expect(actions(await applyManifest(client, manifest))).toEqual(['created', 'created']);
      expect(actions(await applyManifest(client, manifest))).toEqual(['unchanged', 'unchanged']);
    });

    it('removes fields that left the manifest, and keeps those of others', async () => {
      const { client } = cluster;
      const key = { namespace: 'default', name: 'fields' };
      await applyManifest(client, manifestOf(configMap('fields', { a: '1', b: '2' })));
      await client.patch(kinds.ConfigMap, key, mergePatch({ data: { theirs: 'x' } }), { fieldManager: 'somebody' });
      await applyManifest(client, manifestOf(configMap('fields', { a: '1' })));
      expect((await client.get(kinds.ConfigMap, key)).data).toEqual({ a: '1', theirs: 'x' });
    });

    it('reports the fields of other managers, and takes over those it may', async () => {
      const { client } = cluster;
      const key = { namespace: 'default', name: 'contested' };
      await applyManifest(client, manifestOf(deployment('contested', 'web:1', 1)));
      await client.apply(
        kinds.Deployment,
        { metadata: key, spec: { replicas: 5 } },
        { fieldManager: 'autoscaler', force: true },
      );
      const wanted = manifestOf(deployment('contested', 'web:1', 2));
      await expect(applyManifest(client, wanted)).rejects.toMatchObject({
        code: 'CONFLICT',
        details: { conflicts: [{ manager: 'autoscaler', field: '.spec.replicas' }] },
      });
      expect((await client.get(kinds.Deployment, key)).spec?.replicas).toBe(5);
      await applyManifest(client, wanted, { forceFields: ['.spec.replicas'] });
      expect((await client.get(kinds.Deployment, key)).spec?.replicas).toBe(2);
    });

    it('applies instances after their definition, whatever the order of the file', async () => {
      const { client } = cluster;
      const report = await applyManifest(client, manifestOf(widget('first'), definition()));
      expect(actions(report)).toEqual(['created', 'created']);
      const made = await client.get(widget('first'), { namespace: 'default', name: 'first' });
      expect(made.spec).toEqual({ size: 3 });
    });

    it('reports objects that have to be recreated, and recreates them where it may', async () => {
      const { client } = cluster;
      const first = await applyManifest(client, manifestOf(job('migrate', 'db:1')));
      await expect(applyManifest(client, manifestOf(job('migrate', 'db:2')))).rejects.toMatchObject({
        code: 'NEEDS_RECREATE',
        message: expect.stringContaining('field is immutable') as string,
      });
      const report = await applyManifest(client, manifestOf(job('migrate', 'db:2')), { recreate: ['Job'] });
      expect(report.results[0]).toMatchObject({ action: 'recreated' });
      expect(report.results[0]?.object?.metadata.uid).not.toBe(first.results[0]?.object?.metadata.uid);
    });

    it('takes over what kubectl applied on the client side, and can remove it then', async () => {
      const { client } = cluster;
      const key = { namespace: 'default', name: 'moved' };
      await client.create(
        kinds.ConfigMap,
        { metadata: key, data: { a: '1', gone: 'x' } },
        {
          fieldManager: 'kubectl-client-side-apply',
        },
      );
      await applyManifest(client, manifestOf(configMap('moved', { a: '2' })));
      const now = await client.get(kinds.ConfigMap, key);
      expect(now.data).toEqual({ a: '2' });
      expect(now.metadata.managedFields?.map(({ manager, operation }) => `${manager} ${operation}`)).toEqual([
        'tektite Apply',
      ]);
    });

    it('stops at a failure, says what was not applied, and prunes nothing', async () => {
      const { client } = cluster;
      const set = { name: 'careful', namespace: 'default' };
      await applyManifest(client, manifestOf(configMap('careful-a'), configMap('careful-b')), { set });
      const bad = { ...deployment('careful-web'), spec: {} };
      const report = await attemptApply(client, manifestOf(configMap('careful-a'), bad, widget('careful-w')), { set });
      expect(actions(report)).toEqual(['unchanged', 'failed', 'skipped']);
      expect(report.failed[0]?.error).toMatchObject({ code: 'INVALID' });
      expect(report.pruned).toEqual([]);
      expect(await client.get(kinds.ConfigMap, { namespace: 'default', name: 'careful-b' })).toBeDefined();
    });

    it('prunes what left a set, but not what holds data or is protected', async () => {
      const { client } = cluster;
      const set = { name: 'shrinking', namespace: 'default' };
      const claim = {
        apiVersion: 'v1',
        kind: 'PersistentVolumeClaim',
        metadata: { name: 'shrinking-data', namespace: 'default' },
        spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
      };
      const kept = configMap('shrinking-kept');
      const protectedMap = {
        ...kept,
        metadata: { ...kept.metadata, annotations: { 'manifests.dev/prune': 'disabled' } },
      };
      await applyManifest(client, manifestOf(configMap('shrinking-a'), configMap('shrinking-b'), protectedMap, claim), {
        set,
      });
      const report = await applyManifest(client, manifestOf(configMap('shrinking-a')), { set });
      expect(report.pruned.map(({ reference, action }) => `${reference.name} ${action}`).sort()).toEqual([
        'shrinking-b pruned',
        'shrinking-data kept',
        'shrinking-kept kept',
      ]);
      const parent = await client.get(kinds.ConfigMap, { namespace: 'default', name: 'shrinking' });
      expect(parent.metadata.annotations).toMatchObject({
        'applyset.kubernetes.io/contains-group-kinds': 'ConfigMap,PersistentVolumeClaim',
        'applyset.kubernetes.io/additional-namespaces': '',
      });
      const again = await applyManifest(client, manifestOf(configMap('shrinking-a')), {
        set,
        pruneKinds: ['PersistentVolumeClaim'],
      });
      expect(again.pruned.map(({ reference, action }) => `${reference.name} ${action}`)).toContain(
        'shrinking-data pruned',
      );
    });

    it('refuses a parent that stands for something else', async () => {
      const { client } = cluster;
      await client.create(kinds.ConfigMap, { metadata: { namespace: 'default', name: 'plain' } });
      const set = { name: 'plain', namespace: 'default' };
      await expect(applyManifest(client, manifestOf(configMap('x')), { set })).rejects.toMatchObject({
        code: 'APPLY_SET',
      });
    });

    it('does all but keep the result in a dry run', async () => {
      const { client } = cluster;
      const report = await applyManifest(client, manifestOf(configMap('dry')), { dryRun: true });
      expect(actions(report)).toEqual(['created']);
      const error: unknown = await client
        .get(kinds.ConfigMap, { namespace: 'default', name: 'dry' })
        .catch((failure: unknown) => failure);
      expect(isStatusError(error, 'NotFound')).toBe(true);
    });

    it('deletes in the reverse order, and waits until objects are deleted', async () => {
      const { client } = cluster;
      const manifest = manifestOf(configMap('leaving-a'), configMap('leaving-b'));
      await applyManifest(client, manifest);
      const order: string[] = [];
      const report = await deleteManifest(client, manifest, {
        onProgress: (event) => {
          if (event.type === 'object') order.push(event.result.reference.name);
        },
        concurrency: 1,
      });
      expect(order).toEqual(['leaving-b', 'leaving-a']);
      expect(report.results.map(({ action }) => action)).toEqual(['deleted', 'deleted']);
      const again = await deleteManifest(client, manifest);
      expect(again.results.map(({ action }) => action)).toEqual(['absent', 'absent']);
    });

    it('reports the finalizers that hold a deleted object, and removes those it may', async () => {
      const { client } = cluster;
      const held = configMap('held');
      const manifest = manifestOf({ ...held, metadata: { ...held.metadata, finalizers: ['example.com/hold'] } });
      await applyManifest(client, manifest);
      const stuck = await deleteManifest(client, manifest, { timeoutMs: 300 });
      expect(stuck.failed).toMatchObject([{ action: 'stuck', finalizers: ['example.com/hold'] }]);
      const freed = await deleteManifest(client, manifest, { timeoutMs: 300, forceFinalizers: ['example.com/hold'] });
      expect(freed.failed).toEqual([]);
    });

    it('sees at once when something becomes ready', async () => {
      const { client } = cluster;
      await applyManifest(client, manifestOf(deployment('slow')));
      const waiting = waitForObjects(client, [referenceTo(deployment('slow'))], { timeoutMs: 10_000 });
      const live = await client.get(kinds.Deployment, { namespace: 'default', name: 'slow' });
      await client.updateStatus(kinds.Deployment, {
        ...live,
        status: {
          observedGeneration: live.metadata.generation ?? 1,
          replicas: 1,
          updatedReplicas: 1,
          availableReplicas: 1,
          readyReplicas: 1,
          conditions: [
            { type: 'Available', status: 'True' },
            { type: 'Progressing', status: 'True', reason: 'NewReplicaSetAvailable' },
          ],
        },
      });
      expect(await waiting).toMatchObject({ done: true, timedOut: false });
    });
  });
}
