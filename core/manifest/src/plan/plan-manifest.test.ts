import { existsSync } from 'node:fs';
import { type Client, kinds, mergePatch } from '@tektite/client';
import type { DynamicObject } from '@tektite/meta';
import { startControlPlane } from '@tektite/testkit';
import { describe, expect, it } from 'vitest';
import { type ApplyManifestOptions, attemptApply } from '../apply/apply-manifest.ts';
import type { Manifest } from '../manifest.ts';
import { identityText } from '../object-identity.ts';
import { loadManifest } from '../source/source.ts';
import {
  configMap,
  definition,
  deployment,
  job,
  manifestOf,
  openPlanServer,
  payload,
  widget,
} from '../test-support.ts';
import { replaceImages } from '../transform/images.ts';
import { comparable, compareObjects, withoutChance } from './compare-objects.ts';
import { liveObjects } from './live-objects.ts';
import { hasChanges, type Plan, planProblems } from './plan.ts';
import { checkPlan, readPlanFile, writePlanFile } from './plan-file.ts';
import { planByDryRun, planManifest, type PlanOptions } from './plan-manifest.ts';

const set = { name: 'app', namespace: 'default' };
const words: Readonly<Record<string, string>> = {
  create: 'created',
  update: 'configured',
  recreate: 'recreated',
  prune: 'pruned',
  keep: 'kept',
  none: 'unchanged',
  conflict: 'failed',
  failed: 'failed',
};

/** Plans, then applies for real, and holds one against the other: actions and fields. */
async function comparePlan(client: Client, wanted: Manifest, options: PlanOptions = {}): Promise<Plan> {
  const plan = await planManifest(client, wanted, openPlanServer, options);
  const before = await liveObjects(client, wanted, options);
  const applyOptions: ApplyManifestOptions = { ...options, onFailure: 'continue', patienceMs: 2000 };
  const report = await attemptApply(client, wanted, applyOptions);
  const done = [...report.results, ...report.pruned];
  expect(plan.objects.map(({ reference, action }) => `${identityText(reference)} ${words[action]}`)).toEqual(
    done.map(({ reference, action }) => `${identityText(reference)} ${action}`),
  );
  for (const [index, { action, changes }] of plan.objects.entries()) {
    if (!['create', 'update', 'recreate', 'none'].includes(action)) continue;
    const result = done[index];
    const made = result?.object as DynamicObject;
    const source = wanted.objects[index] as DynamicObject;
    const live = before.get(identityText(made));
    const after = comparable(action === 'create' || action === 'recreate' ? withoutChance(made, source) : made);
    expect(changes).toEqual(compareObjects(live && comparable(live), after));
  }
  return plan;
}

const actionsOf = (plan: Plan) =>
  Object.fromEntries(plan.objects.map(({ reference, action }) => [reference.name, action]));

describe('a plan', () => {
  it('is what an apply then does: create, change, prune, keep', async () => {
    await using plane = await startControlPlane();
    const { client } = plane;
    const first = manifestOf(configMap('a'), configMap('b'), deployment('web', 'web:1'));
    expect(actionsOf(await comparePlan(client, first, { set }))).toEqual({ a: 'create', b: 'create', web: 'create' });
    expect(hasChanges(await comparePlan(client, first, { set }))).toBe(false);
    const second = manifestOf(configMap('a', { a: '2' }), deployment('web', 'web:2'));
    const plan = await comparePlan(client, second, { set });
    expect(actionsOf(plan)).toEqual({ a: 'update', b: 'prune', web: 'update' });
    expect(plan.objects[1]?.changes).toEqual([
      { path: '/spec/template/spec/containers/0/image', old: 'web:1', new: 'web:2' },
    ]);
  });

  it('knows instances of definitions that are not there yet, with their defaults and mistakes', async () => {
    await using plane = await startControlPlane();
    const good = await comparePlan(plane.client, manifestOf(definition(), widget('first')), { set });
    expect(good.objects[1]?.after).toContain('size: 3');
    const bad = await comparePlan(plane.client, manifestOf(definition(), widget('second', { size: 'big' })), { set });
    expect(actionsOf(bad)).toMatchObject({ second: 'failed' });
    expect(planProblems(bad)[0]?.reason).toContain('spec.size');
  });

  it('tells conflicts with their owners, and what has to be made anew with the reason', async () => {
    await using plane = await startControlPlane();
    const { client } = plane;
    await attemptApply(client, manifestOf(deployment('web'), job('migrate', 'db:1')));
    await client.apply(
      kinds.Deployment,
      { metadata: { namespace: 'default', name: 'web' }, spec: { replicas: 5 } },
      { fieldManager: 'autoscaler', force: true },
    );
    const wanted = manifestOf(deployment('web', 'web:1', 2), job('migrate', 'db:2'));
    const plan = await comparePlan(client, wanted);
    expect(plan.objects[0]).toMatchObject({
      action: 'conflict',
      conflicts: [{ manager: 'autoscaler', field: '.spec.replicas' }],
    });
    expect(plan.objects[1]).toMatchObject({
      action: 'failed',
      reason: expect.stringContaining('field is immutable') as string,
    });
    const allowed = await comparePlan(client, wanted, { force: true, recreate: ['Job'] });
    expect(actionsOf(allowed)).toEqual({ web: 'update', migrate: 'recreate' });
  });

  it('tells that a value of a Secret changes, and never the value', async () => {
    await using plane = await startControlPlane();
    const secret = (password: string) => ({
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { name: 'login', namespace: 'default' },
      stringData: { password },
    });
    await comparePlan(plane.client, manifestOf(secret('hunter2')));
    const plan = await comparePlan(plane.client, manifestOf(secret('correct horse')));
    expect(plan.objects[0]?.changes).toHaveLength(1);
    const text = JSON.stringify(plan);
    for (const value of ['hunter2', 'correct horse'])
      for (const form of [value, Buffer.from(value).toString('base64')]) expect(text).not.toContain(form);
    expect(text).toContain('(redacted, sha256:');
  });

  it('can be kept in a file and applied, unless the cluster moved', async () => {
    await using plane = await startControlPlane();
    const { client } = plane;
    const manifest = manifestOf(configMap('a'), configMap('b'));
    const plan = await planManifest(client, manifest, openPlanServer, { set });
    const file = readPlanFile(writePlanFile({ plan, manifest }), 'plan.json');
    expect(file.manifest.objects).toEqual(manifest.objects);
    expect(await checkPlan(client, file)).toEqual({ set });
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
