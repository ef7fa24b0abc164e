import { type Client, kinds } from '@tektite/client';
import type { DynamicObject } from '@tektite/meta';
import type { Cluster } from '@tektite/testkit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ApplyManifestOptions, attemptApply } from '../apply/apply-manifest.ts';
import type { Manifest } from '../manifest.ts';
import { identityText } from '../object-identity.ts';
import { configMap, definition, deployment, job, manifestOf, openPlanServer, widget } from '../test-support.ts';
import { comparable, compareObjects, withoutChance } from './compare-objects.ts';
import { liveObjects } from './live-objects.ts';
import { hasChanges, type Plan, planProblems } from './plan.ts';
import { planManifest, type PlanOptions } from './plan-manifest.ts';

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
export async function comparePlan(client: Client, wanted: Manifest, options: PlanOptions = {}): Promise<Plan> {
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
    // A cluster of another version gives other defaults to what is new; the plan says so.
    if ((action === 'create' || action === 'recreate') && plan.notes.some((note) => note.includes('other defaults')))
      continue;
    const result = done[index];
    const made = result?.object as DynamicObject;
    const source = wanted.objects[index] as DynamicObject;
    const live = before.get(identityText(made));
    const after = comparable(action === 'create' || action === 'recreate' ? withoutChance(made, source) : made);
    expect(changes).toEqual(compareObjects(live && comparable(live), after));
  }
  return plan;
}

export const actionsOf = (plan: Plan) =>
  Object.fromEntries(plan.objects.map(({ reference, action }) => [reference.name, action]));

/** Cases for every server. */
export function planCases(where: string, start: () => Promise<Cluster>): void {
  describe(`a plan ${where}`, () => {
    let cluster: Cluster;
    beforeAll(async () => void (cluster = await start()));
    afterAll(() => cluster?.close());

    it('is what an apply then does: create, change, prune, keep', async () => {
      const { client } = cluster;
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

    it('knows instances of definitions that are not there yet, with their defaults and errors', async () => {
      const { client } = cluster;
      const widgets = { name: 'widgets', namespace: 'default' };
      const good = await comparePlan(client, manifestOf(definition(), widget('first')), { set: widgets });
      expect(good.objects[1]?.after).toContain('size: 3');
      const bad = await comparePlan(client, manifestOf(definition(), widget('second', { size: 'big' })), {
        set: widgets,
      });
      expect(actionsOf(bad)).toMatchObject({ second: 'failed' });
      expect(planProblems(bad)[0]?.reason).toContain('spec.size');
    });

    it('reports conflicts with their managers, and recreations with the reason', async () => {
      const { client } = cluster;
      await attemptApply(client, manifestOf(deployment('contested'), job('migrate', 'db:1')));
      await client.apply(
        kinds.Deployment,
        { metadata: { namespace: 'default', name: 'contested' }, spec: { replicas: 5 } },
        { fieldManager: 'autoscaler', force: true },
      );
      const wanted = manifestOf(deployment('contested', 'web:1', 2), job('migrate', 'db:2'));
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
      expect(actionsOf(allowed)).toEqual({ contested: 'update', migrate: 'recreate' });
    });

    it('reports that a value of a Secret changes, and never the value', async () => {
      const { client } = cluster;
      const secret = (password: string) => ({
        apiVersion: 'v1',
        kind: 'Secret',
        metadata: { name: 'login', namespace: 'default' },
        stringData: { password },
      });
      await comparePlan(client, manifestOf(secret('hunter2')));
      const plan = await comparePlan(client, manifestOf(secret('correct horse')));
      expect(plan.objects[0]?.changes).toHaveLength(1);
      const text = JSON.stringify(plan);
      for (const value of ['hunter2', 'correct horse'])
        for (const form of [value, Buffer.from(value).toString('base64')]) expect(text).not.toContain(form);
      expect(text).toContain('(redacted, sha256:');
    });
  });
}
