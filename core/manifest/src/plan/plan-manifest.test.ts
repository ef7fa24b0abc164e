import { existsSync } from 'node:fs';
import { kinds, mergePatch } from '@tektite/client';
import { startControlPlane } from '@tektite/testkit';
import { describe, expect, it } from 'vitest';
import { attemptApply } from '../apply/apply-manifest.ts';
import { loadManifest } from '../source/source.ts';
import { configMap, definition, deployment, manifestOf, openPlanServer, payload, widget } from '../test-support.ts';
import { replaceImages } from '../transform/images.ts';
import { checkPlan, readPlanFile, writePlanFile } from './plan-file.ts';
import { planByDryRun, planManifest } from './plan-manifest.ts';
import { actionsOf, comparePlan, planCases } from './plan-manifest.cases.ts';

const set = { name: 'app', namespace: 'default' };
planCases('on the embedded server', () => startControlPlane());

describe('a plan', () => {
  it('can be kept in a file and applied, unless the cluster moved', async () => {
    await using plane = await startControlPlane();
    const { client } = plane;
    const manifest = manifestOf(configMap('a'), configMap('b'));
    const plan = await planManifest(client, manifest, openPlanServer, { set });
    const file = readPlanFile(writePlanFile({ plan, manifest }), 'plan.json');
    expect(file.manifest.objects).toEqual(manifest.objects);
    expect(await checkPlan(client, file)).toEqual({ set });
    const more = { plan, manifest: manifestOf(configMap('a'), configMap('b'), configMap('unread')) };
    await expect(checkPlan(client, more)).rejects.toThrow(
      'the plan brings configmap default/unread, which it does not name',
    );
    await client.create(kinds.ConfigMap, { metadata: { namespace: 'default', name: 'b' } });
    await expect(checkPlan(client, file)).rejects.toMatchObject({
      code: 'PLAN_OUTDATED',
      details: { moved: ['configmap default/b'] },
    });
  });

  it('is not outdated by a status, for controllers never rest', async () => {
    await using plane = await startControlPlane();
    const { client } = plane;
    const manifest = manifestOf(deployment('web'));
    await attemptApply(client, manifest);
    const plan = await planManifest(client, manifest, openPlanServer);
    await client.patchStatus(
      kinds.Deployment,
      { namespace: 'default', name: 'web' },
      mergePatch({ status: { replicas: 1 } }),
    );
    await expect(checkPlan(client, { plan, manifest })).resolves.toBeDefined();
  });

  it('can be made by who is allowed to see no more than what is planned', async () => {
    await using plane = await startControlPlane();
    const metadata = { namespace: 'default', name: 'some' };
    await plane.client.create(kinds.Role, {
      metadata,
      rules: [{ apiGroups: [''], resources: ['configmaps'], verbs: ['*'] }],
    });
    await plane.client.create(kinds.RoleBinding, {
      metadata,
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: 'some' },
      subjects: [{ kind: 'User', name: 'jane', apiGroup: 'rbac.authorization.k8s.io' }],
    });
    const jane = plane.clientFor({ name: 'jane', groups: ['system:authenticated'] });
    const plan = await planManifest(jane, manifestOf(configMap('a')), openPlanServer, { set });
    expect(actionsOf(plan)).toEqual({ a: 'create' });
    await expect(planManifest(jane, manifestOf(deployment('web')), openPlanServer)).rejects.toThrow(
      'cannot get resource',
    );
  });

  it('leaves no trace on the cluster', async () => {
    await using plane = await startControlPlane();
    const before = plane.server.storage.revision;
    await planManifest(plane.client, manifestOf(definition(), widget('w'), configMap('a')), openPlanServer, { set });
    expect(plane.server.storage.revision).toBe(before);
  });

  it('can be made by asking the cluster for a dry run', async () => {
    await using plane = await startControlPlane();
    await attemptApply(plane.client, manifestOf(configMap('a'), configMap('same')));
    const plan = await planByDryRun(
      plane.client,
      manifestOf(configMap('a', { a: '2' }), configMap('same'), configMap('n')),
    );
    expect(actionsOf(plan)).toEqual({ a: 'update', same: 'none', n: 'create' });
    expect(plan.objects[0]?.changes).toEqual([{ path: '/data/a', old: '1', new: '2' }]);
  });
});

const tekton = `${payload}tekton-pipeline/`;

describe.skipIf(!existsSync(tekton))(
  'a plan for the Tekton release (from ../shared, skipped where that is absent)',
  () => {
    it('is exact for an installation, an upgrade, another image and a downgrade', async () => {
      await using plane = await startControlPlane();
      const load = (version: string) => loadManifest({ kind: 'path', path: `${tekton}${version}/release.yaml` });
      const old = await load('v1.14.1');
      const release = await load('v1.15.0');
      const options = { set: { name: 'tekton', namespace: 'default' } };
      const install = await comparePlan(plane.client, old, options);
      expect(new Set(install.objects.map(({ action }) => action))).toEqual(new Set(['create']));
      const upgrade = await comparePlan(plane.client, release, options);
      expect(upgrade.objects.some(({ action }) => action === 'update')).toBe(true);
      const images = replaceImages({ 'ghcr.io/tektoncd/pipeline/webhook': 'mirror/webhook:1' });
      const moved = await comparePlan(plane.client, release.transform(images), options);
      expect(moved.objects.filter(({ action }) => action !== 'none').map(({ reference }) => reference.name)).toEqual([
        'tekton-pipelines-webhook',
      ]);
      await comparePlan(plane.client, old, options);
    }, 60_000);
  },
);
