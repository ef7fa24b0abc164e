import { keyOf, kinds, mergePatch } from '@tektite/client';
import { controllerOf, controllerReference, type DynamicObject, isStatusError } from '@tektite/meta';
import type { Cluster } from '@tektite/testkit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { InstallerDialect } from './dialect.ts';
import { connectorsDialect, connectorsHash, tektonDialect } from './dialects/test-support.ts';
import {
  clusterRole,
  configMap,
  dataOf,
  definition,
  deployment,
  job,
  makeReady,
  statefulSet,
  TestSet,
} from './test-support.ts';

/** Cases for every server. */
export function installCases(where: string, start: () => Promise<Cluster>): void {
  describe(`installing a set ${where}`, () => {
    let cluster: Cluster;
    beforeAll(async () => void (cluster = await start()));
    afterAll(() => cluster?.close());
    const actions = ({ changes }: Awaited<ReturnType<TestSet['run']>>) =>
      changes.map(({ action, object }) => `${action} ${object.kind} ${object.name}`);

    it('makes objects phase by phase, says what is not ready, and then writes nothing more', async () => {
      const { client } = cluster;
      const set = await TestSet.create(client, tektonDialect, 'phases', [
        deployment('phases-webhook'),
        configMap('phases'),
        clusterRole('phases'),
        definition('gears', 'Gear'),
        { apiVersion: 'example.com/v1', kind: 'Gear', metadata: { name: 'one', namespace: 'default' } },
      ]);
      const first = await set.run();
      expect(actions(first)).toEqual([
        'created CustomResourceDefinition gears.example.com',
        'created ClusterRole phases',
        'created ConfigMap phases',
        'created Gear one',
        'created Deployment phases-webhook',
      ]);
      expect(first.failure?.phase).toBe('webhook ready');
      expect(set.condition('NamespaceScopedResourcesInstalled')).toBe('True');
      expect(set.condition('WebhooksReady')).toBe('False Error Webhook: phases-webhook deployment not ready');
      expect(set.condition('Ready')).toBe('False Error Webhook: phases-webhook deployment not ready');
      expect(first.result).toEqual({ type: 'done' });
      await makeReady(client, 'phases-webhook');
      const second = await set.run();
      expect(second).toMatchObject({ ready: true, changes: [] });
      expect(set.condition('Ready')).toBe('True');
      expect((await set.run()).changes).toEqual([]);
    });

    it('stops at the first phase that fails, and says that later ones are blocked', async () => {
      const { client } = cluster;
      const set = await TestSet.create(client, connectorsDialect, 'blocked', [
        { ...configMap('no-such-place'), metadata: { name: 'blocked', namespace: 'no-such-place' } },
        deployment('blocked'),
      ]);
      const report = await set.run();
      expect(report.result.type).toBe('error');
      expect(set.condition('CrdInstalled')).toBe('True NotApplicable');
      expect(set.condition('NamespaceScoped')).toBe(
        'False NamespaceScopedInstallFailed ConfigMap no-such-place/blocked: namespaces "no-such-place" not found',
      );
      expect(set.condition('DeploymentsAvailable')).toMatch(/^Unknown Blocked/);
      expect(set.condition('Ready')).toMatch(/^False NamespaceScopedInstallFailed/);
      const missing = client.get(kinds.Deployment, { namespace: 'default', name: 'blocked' });
      await expect(missing).rejects.toSatisfy((error) => isStatusError(error, 'NotFound'));
    });

    it('shows why a workload could not be installed, and not that its readiness is blocked', async () => {
      const { client } = cluster;
      const invalid = deployment('invalid-port');
      const [container] = (invalid.spec as { template: { spec: { containers: object[] } } }).template.spec.containers;
      Object.assign(container ?? {}, { ports: [{ containerPort: 70_000 }] });
      // Installation and readiness are phases of their own, with one condition.
      const phases = connectorsDialect.phases.flatMap(({ check, ...phase }) =>
        check ? [phase, { ...phase, install: undefined, check }] : [phase],
      ) as InstallerDialect['phases'];
      const set = await TestSet.create(client, { ...connectorsDialect, phases }, 'invalid-port', [invalid]);
      await set.run();
      const cause = /^False DeploymentInstallFailed .*containerPort/;
      expect(set.condition('DeploymentsAvailable')).toMatch(cause);
      expect(set.condition('StatefulSetReady')).toMatch(/^Unknown Blocked/);
      expect(set.condition('Ready')).toMatch(cause);
    });

    it('keeps what users change in hashed objects until the set changes', async () => {
      const { client } = cluster;
      const set = await TestSet.create(client, tektonDialect, 'edits', [configMap('edits', { a: '1', gone: 'x' })]);
      await set.run();
      const key = { namespace: 'default', name: 'edits' };
      await client.patch(kinds.ConfigMap, key, mergePatch({ data: { a: 'mine', more: 'y' } }));
      expect((await set.run()).changes).toEqual([]);
      expect(await dataOf(client, 'edits')).toEqual({ a: 'mine', gone: 'x', more: 'y' });
      set.objects = [configMap('edits', { a: '2' })];
      expect(actions(await set.run())).toEqual(['changed ConfigMap edits']);
      expect(await dataOf(client, 'edits')).toEqual({ a: '2', more: 'y' });
      await client.delete(kinds.ConfigMap, key);
      expect(actions(await set.run())).toEqual(['created ConfigMap edits']);
    });

    it('puts managed fields of workloads back, and leaves others alone', async () => {
      const { client } = cluster;
      const set = await TestSet.create(client, connectorsDialect, 'workload', [deployment('workload')]);
      await set.run();
      expect((await set.run()).changes).toEqual([]);
      const key = { namespace: 'default', name: 'workload' };
      const edit = {
        metadata: { annotations: { mine: 'kept' } },
        spec: {
          replicas: 4,
          template: { metadata: { annotations: { 'kubectl.kubernetes.io/restartedAt': 'now' } } },
        },
      };
      await client.patch(kinds.Deployment, key, mergePatch(edit));
      expect(actions(await set.run())).toEqual(['changed Deployment workload']);
      const live = await client.get(kinds.Deployment, key);
      expect(live.spec?.replicas).toBe(1);
      expect(live.metadata.annotations).toMatchObject({ mine: 'kept' });
      expect(live.spec?.template.metadata?.annotations).toEqual({ 'kubectl.kubernetes.io/restartedAt': 'now' });
    });

    it('takes out what others added to lists of a workload, and what it dropped itself', async () => {
      const { client } = cluster;
      const set = await TestSet.create(client, connectorsDialect, 'lists', [deployment('lists')]);
      await set.run();
      const key = { namespace: 'default', name: 'lists' };
      const container = (await client.get(kinds.Deployment, key)).spec?.template.spec?.containers?.[0];
      const env = [...(container?.env ?? []), { name: 'DEBUG', value: '1' }];
      await client.patch(
        kinds.Deployment,
        key,
        mergePatch({ spec: { template: { spec: { containers: [{ ...container, env }] } } } }),
      );
      expect(actions(await set.run())).toEqual(['changed Deployment lists']);
      const after = (await client.get(kinds.Deployment, key)).spec?.template.spec?.containers?.[0];
      expect(after?.env).toEqual([{ name: 'LEVEL', value: 'info' }]);
      expect((await set.run()).changes).toEqual([]);
    });

    it('puts lists of a workload in the order that the set says', async () => {
      const { client } = cluster;
      const ordered = (...names: readonly string[]): DynamicObject => {
        const object = deployment('ordered');
        const spec = object.spec as { template: { metadata: object; spec: object } };
        const initContainers = names.map((name) => ({ name, image: 'init:1' }));
        const template = { ...spec.template, spec: { ...spec.template.spec, initContainers } };
        return { ...object, spec: { ...spec, template } };
      };
      const set = await TestSet.create(client, connectorsDialect, 'ordered', [ordered('one', 'two')]);
      await set.run();
      set.objects = [ordered('two', 'new', 'one')];
      await set.run();
      await set.run();
      const live = await client.get(kinds.Deployment, { namespace: 'default', name: 'ordered' });
      const names = live.spec?.template.spec?.initContainers?.map(({ name }) => name);
      expect(names).toEqual(['two', 'new', 'one']);
      expect((await set.run()).changes).toEqual([]);
    });

    it('recreates workloads when a selector changes, and Jobs when their template does', async () => {
      const { client } = cluster;
      const set = await TestSet.create(client, connectorsDialect, 'anew', [deployment('anew'), job('anew')]);
      await set.run();
      const before = await client.get(kinds.Deployment, { namespace: 'default', name: 'anew' });
      set.objects = [deployment('anew', { app: 'other' }), job('anew', 'db:2')];
      const report = await set.run();
      expect(actions(report)).toContain('recreated Job anew');
      // A server with a garbage collector may take a moment for what is deleted in the foreground.
      expect(actions(report).includes('recreated Deployment anew') || report.failure?.cause === 'waiting').toBe(true);
      const after = await client.get(kinds.Deployment, { namespace: 'default', name: 'anew' });
      expect(after.metadata.deletionTimestamp !== undefined || after.metadata.uid !== before.metadata.uid).toBe(true);
    });

    it('does not take over what belongs to another set', async () => {
      const { client } = cluster;
      const mine = await TestSet.create(client, connectorsDialect, 'mine', [clusterRole('shared')]);
      await mine.run();
      const theirs = await TestSet.create(client, connectorsDialect, 'theirs', [clusterRole('shared', ['list'])]);
      await theirs.run();
      expect(theirs.condition('ClustersScoped')).toBe(
        'False OwnershipConflict ClusterRole shared: ClusterRole shared is controlled by Set mine',
      );
      const live = await client.get(kinds.ClusterRole, { name: 'shared' });
      expect(controllerOf(live)?.uid).toBe(mine.self.metadata.uid);
    });

    it('prunes what left the set, and keeps definitions', async () => {
      const { client } = cluster;
      const set = await TestSet.create(client, connectorsDialect, 'prune', [
        configMap('prune-a'),
        configMap('prune-b'),
        definition('wheels', 'Wheel'),
      ]);
      await set.run();
      expect(set.inventory).toHaveLength(3);
      expect(set.inventory[1]?.hash).toMatch(/^[0-9a-f]{64}$/);
      set.objects = [configMap('prune-a')];
      const report = await set.run();
      expect(actions(report)).toEqual(['pruned ConfigMap prune-b']);
      expect(set.inventory.map(({ name }) => name)).toEqual(['prune-a']);
      const kept = await client.get(kinds.CustomResourceDefinition, { name: 'wheels.example.com' });
      expect(kept.metadata.ownerReferences).toBeUndefined();
      const live = await client.get(kinds.ConfigMap, { namespace: 'default', name: 'prune-a' });
      expect(live.metadata.annotations?.[connectorsHash]).toBe(set.inventory[0]?.hash);
    });

    it('leaves replicas to an autoscaler', async () => {
      const { client } = cluster;
      const set = await TestSet.create(client, connectorsDialect, 'scaled', [deployment('scaled')]);
      await set.run();
      const key = { namespace: 'default', name: 'scaled' };
      const scaleTargetRef = { apiVersion: 'apps/v1', kind: 'Deployment', name: 'scaled' };
      // The version that servers of all ages have.
      const autoscaler = { apiVersion: 'autoscaling/v1', kind: 'HorizontalPodAutoscaler', metadata: key };
      await client.create({ ...autoscaler, spec: { scaleTargetRef, minReplicas: 3, maxReplicas: 5 } });
      await set.run();
      expect((await client.get(kinds.Deployment, key)).spec?.replicas).toBe(3);
      await client.patch(kinds.Deployment, key, mergePatch({ spec: { replicas: 9 } }));
      await set.run();
      expect((await client.get(kinds.Deployment, key)).spec?.replicas).toBe(3);
      expect((await set.run()).changes).toEqual([]);
    });

    it('takes over what an older installation left, its owner and its fields', async () => {
      const { client } = cluster;
      const old = await TestSet.create(client, tektonDialect, 'older', []);
      const ownerReferences = [controllerReference(old.self)];
      const left = configMap('taken', { a: '1', gone: 'x' });
      await client.create({ ...left, metadata: { ...left.metadata, ownerReferences } }, { fieldManager: 'operator' });
      const web = deployment('taken-web', { image: 'old:1' });
      await client.create({ ...web, metadata: { ...web.metadata, ownerReferences } }, { fieldManager: 'operator' });
      const objects = [configMap('taken', { a: '2' }), deployment('taken-web')];
      const set = await TestSet.create(client, tektonDialect, 'newer', objects);
      expect(actions(await set.run())).toEqual(['changed ConfigMap taken', 'changed Deployment taken-web']);
      expect(await dataOf(client, 'taken')).toEqual({ a: '2' });
      for (const object of objects) {
        const live = await client.get(object, keyOf(object));
        expect(live.metadata.ownerReferences?.map(({ name }) => name)).toEqual(['newer']);
      }
      expect((await set.run()).changes).toEqual([]);
    });

    it('removes what it set once and does not want any more', async () => {
      const { client } = cluster;
      const set = await TestSet.create(client, connectorsDialect, 'dropped', [
        {
          ...deployment('dropped'),
          metadata: { ...deployment('dropped').metadata, annotations: { mine: '1', other: '2' } },
        },
      ]);
      await set.run();
      set.objects = [deployment('dropped')];
      expect(actions(await set.run())).toEqual(['changed Deployment dropped']);
      const live = await client.get(kinds.Deployment, { namespace: 'default', name: 'dropped' });
      expect(Object.keys(live.metadata.annotations ?? {})).toEqual([]);
    });

    it('waits for StatefulSets', async () => {
      const { client } = cluster;
      const set = await TestSet.create(client, tektonDialect, 'stateful', [statefulSet('stateful')]);
      const report = await set.run();
      expect(report.result).toEqual({ type: 'requeueAfter', milliseconds: 10_000 });
      expect(set.condition('StatefulSetReady')).toBe(
        'False Error Install failed with message: stateful statefulset is not ready',
      );
      await makeReady(client, 'stateful', 'StatefulSet');
      expect((await set.run()).ready).toBe(true);
    });
  });
}
