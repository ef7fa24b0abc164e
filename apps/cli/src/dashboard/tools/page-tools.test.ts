import { ByoCluster, ByoHost, ByoMachine, Cluster, Machine } from '@tektite/byoh';
import { kinds } from '@tektite/client';
import { applyManifest, Manifest } from '@tektite/manifest';
import type { DynamicObject } from '@tektite/meta';
import { customResourceDefinition } from '@tektite/schema';
import { allKinds } from '@tektite/tekton-operator';
import { type ControlPlane, startControlPlane } from '@tektite/testkit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { pageTools } from './page-tools.ts';

const { signal } = new AbortController();

describe('the tools of the page', () => {
  let plane: ControlPlane;
  beforeAll(async () => {
    plane = await startControlPlane();
    const served = [...allKinds, ByoCluster, ByoHost, ByoMachine, Cluster, Machine];
    for (const kind of served) await plane.client.create(customResourceDefinition([kind]) as unknown as DynamicObject);
  });
  afterAll(() => plane.close());
  const reader = () => plane.transport({ name: 'ann', groups: [] });

  it('plan and apply an earlier revision of a set, with the rights of the visitor', async () => {
    const set = { name: 'web', namespace: 'default' };
    const apply = (level: string) => {
      const object = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'settings' }, data: { level } };
      const origin = { source: 'settings.yaml', index: 0 };
      const manifest = new Manifest([{ object: object as unknown as DynamicObject, origin }]);
      return applyManifest(plane.client, manifest, { set, namespace: 'default', history: {} });
    };
    await apply('info');
    await apply('debug');
    const input = { ...set, revision: '1' };
    const plan = await pageTools['plan-rollback']?.run(plane.transport(), input, signal);
    expect(plan?.objects).toMatchObject([{ action: 'update', object: { kind: 'ConfigMap', name: 'settings' } }]);
    expect(plan?.objects[0]?.before).toContain('level: debug');
    expect(plan?.objects[0]?.after).toContain('level: info');
    const level = async () =>
      (await plane.client.get(kinds.ConfigMap, { namespace: 'default', name: 'settings' })).data?.level;
    expect(await level()).toBe('debug');
    await expect(pageTools.rollback?.run(reader(), input, signal)).rejects.toThrow('forbidden');
    expect(await level()).toBe('debug');
    const done = await pageTools.rollback?.run(plane.transport(), input, signal);
    expect(done).toEqual({ summary: '1 configured', failures: [] });
    expect(await level()).toBe('info');
  });

  it('show the phases of an installer set with the health of each object, and plan a TektonConfig', async () => {
    const at = { namespace: 'default' };
    const manifests = [
      { apiVersion: 'v1', kind: 'ConfigMap', metadata: { ...at, name: 'present' } },
      { apiVersion: 'apps/v1', kind: 'Deployment', metadata: { ...at, name: 'absent' } },
      { apiVersion: 'nowhere.example/v1', kind: 'Strange', metadata: { ...at, name: 'strange' } },
    ];
    await plane.client.create(kinds.ConfigMap, { metadata: { ...at, name: 'present' } });
    const kind = 'TektonInstallerSet';
    const set = { apiVersion: 'operator.tekton.dev/v1alpha1', kind, metadata: { name: 'set' }, spec: { manifests } };
    await plane.client.create(set as unknown as DynamicObject);
    const shown = await pageTools['installed-objects']?.run(plane.transport(), { kind, name: 'set' }, signal);
    expect(
      shown?.phases.map(({ condition, objects }) => [
        condition,
        objects.map(({ name, health }) => `${name} ${health}`),
      ]),
    ).toEqual([
      ['NamespaceScopedResourcesInstalled', ['present Current', 'strange Unknown']],
      ['DeploymentsAvailable', ['absent NotFound']],
    ]);
    const yaml =
      'apiVersion: operator.tekton.dev/v1alpha1\nkind: TektonConfig\nmetadata: {name: config}\nspec: {profile: lite}\n';
    const plan = await pageTools['plan-config']?.run(plane.transport(), { yaml }, signal);
    expect(plan?.components).toMatchObject([{ kind: 'TektonPipeline', fate: 'created' }]);
    await expect(pageTools['plan-config']?.run(plane.transport(), { yaml: 'kind: Pod' }, signal)).rejects.toThrow(
      'no TektonConfig',
    );
  });

  it('read no log of another namespace than that of the run, and say when there is no archive', async () => {
    const log = (name: string) =>
      pageTools['archived-log']?.run(plane.transport(), { namespace: 'default', log: name }, signal);
    for (const name of [
      'other/results/a/logs/b',
      'default/results/a/logs/../../b',
      'default/../other/results/a/logs/b',
    ])
      await expect(log(name)).rejects.toThrow('no log of the namespace default');
    await expect(log('default/results/a/logs/b')).rejects.toThrow('the cluster has no archive');
    const run = { kind: 'TaskRun', namespace: 'default', name: 'a' };
    expect(await pageTools['archived-run']?.run(plane.transport(), run, signal)).toEqual({ parts: [] });
  });

  it('say what a machine waits for', async () => {
    await plane.client.create(ByoMachine, { metadata: { namespace: 'default', name: 'm1' }, spec: {} } as never);
    const input = { namespace: 'default', name: 'm1' };
    const { steps = [] } = (await pageTools['explain-machine']?.run(plane.transport(), input, signal)) ?? {};
    expect(steps[0]).toMatchObject({ state: 'waiting', what: 'Cluster API owns it' });
    await expect(pageTools['explain-machine']?.run(reader(), input, signal)).rejects.toThrow('forbidden');
  });
});
