import { kinds } from '@tektite/client';
import type { DynamicObject } from '@tektite/meta';
import { startControlPlane } from '@tektite/testkit';
import { describe, expect, it } from 'vitest';
import { configMap, definition, deployment, manifestOf, widget } from '../test-support.ts';
import { applyManifest } from '../apply/apply-manifest.ts';
import { legacyApply, legacyDelete, legacyDryRun } from './manifestival.ts';

const key = { namespace: 'default', name: 'a' };
const annotation = 'kubectl.kubernetes.io/last-applied-configuration';

describe('applying as Manifestival does', () => {
  it('creates with a mark and a memory, and does nothing when nothing is to be done', async () => {
    await using plane = await startControlPlane();
    const { client } = plane;
    await legacyApply(client, manifestOf(configMap('a')));
    const made = await client.get(kinds.ConfigMap, key);
    expect(made.metadata.annotations?.['manifestival']).toBe('new');
    expect(JSON.parse(made.metadata.annotations?.[annotation] ?? '')).toEqual({
      ...configMap('a'),
      metadata: { ...configMap('a').metadata, annotations: { manifestival: 'new' } },
    });
    expect(made.metadata.managedFields?.map(({ manager }) => manager)).toEqual(['manifestival']);
    const { resourceVersion } = made.metadata;
    await legacyApply(client, manifestOf(configMap('a')));
    await legacyApply(client, manifestOf(configMap('a')));
    const again = await client.get(kinds.ConfigMap, key);
    expect(again.metadata.annotations?.['manifestival']).toBe('new');
    expect(again.metadata.resourceVersion).toBe(resourceVersion);
  });

  it('adds and removes, keeps what others added, and removes nothing without a memory', async () => {
    await using plane = await startControlPlane();
    const { client } = plane;
    await legacyApply(client, manifestOf(configMap('a', { a: '1', b: '2' })));
    const live = await client.get(kinds.ConfigMap, key);
    await client.update(kinds.ConfigMap, { ...live, data: { ...live.data, theirs: 'x' } });
    await legacyApply(client, manifestOf(configMap('a', { a: '3' })));
    expect((await client.get(kinds.ConfigMap, key)).data).toEqual({ a: '3', theirs: 'x' });
    await client.create(kinds.ConfigMap, { metadata: { namespace: 'default', name: 'old' }, data: { gone: '1' } });
    await legacyApply(client, manifestOf(configMap('old', { a: '1' })));
    expect((await client.get(kinds.ConfigMap, { namespace: 'default', name: 'old' })).data).toEqual({
      gone: '1',
      a: '1',
    });
  });

  it('merges lists of built-in kinds by key, and replaces those of others', async () => {
    await using plane = await startControlPlane();
    const { client } = plane;
    const two = (names: readonly string[]): DynamicObject => {
      const base = deployment('a');
      const labels = { app: 'a' };
      const containers = names.map((name) => ({ name, image: `${name}:1` }));
      return {
        ...base,
        spec: { selector: { matchLabels: labels }, template: { metadata: { labels }, spec: { containers } } },
      };
    };
    await legacyApply(client, manifestOf(two(['web', 'side'])));
    const live = await client.get(kinds.Deployment, key);
    const spec = live.spec?.template.spec;
    const injected = { ...spec, containers: [...(spec?.containers ?? []), { name: 'injected', image: 'i:1' }] };
    await client.update(kinds.Deployment, {
      ...live,
      spec: { ...live.spec, template: { ...live.spec?.template, spec: injected } },
    } as never);
    await legacyApply(client, manifestOf(two(['web'])));
    const after = await client.get(kinds.Deployment, key);
    expect(after.spec?.template.spec?.containers?.map(({ name }) => name)).toEqual(['web', 'injected']);
  });

  it('forces its way when the server calls the merged object invalid', async () => {
    await using plane = await startControlPlane();
    const { client } = plane;
    const service = (ports: readonly object[]): DynamicObject => ({
      apiVersion: 'v1',
      kind: 'Service',
      metadata: { name: 'a', namespace: 'default' },
      spec: { ports },
    });
    await client.create(service([{ name: 'x', port: 80 }]));
    // Without a memory both ports are there after the merge, and one of them has no name.
    await legacyApply(client, manifestOf(service([{ port: 81 }])));
    expect((await client.get(kinds.Service, key)).spec?.ports).toMatchObject([{ port: 81 }]);
  });

  it('reports planned changes as merge patches', async () => {
    await using plane = await startControlPlane();
    const { client } = plane;
    await applyManifest(client, manifestOf(definition()));
    await legacyApply(client, manifestOf(configMap('a'), widget('w', { colour: 'red' })));
    const patches = await legacyDryRun(
      client,
      manifestOf(configMap('a', { a: '2' }), widget('w', { colour: 'red' }), configMap('new')),
    );
    expect(patches).toHaveLength(2);
    expect(patches[0]).toMatchObject({
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: 'a' },
      data: { a: '2' },
    });
    expect(patches[1]).toEqual(configMap('new'));
  });

  it('deletes Namespaces that it created, and no others', async () => {
    await using plane = await startControlPlane();
    const { client } = plane;
    const namespace = (name: string): DynamicObject => ({ apiVersion: 'v1', kind: 'Namespace', metadata: { name } });
    await client.create(namespace('theirs'));
    const manifest = manifestOf(namespace('ours'), namespace('theirs'));
    await legacyApply(client, manifest);
    await legacyDelete(client, manifest);
    const left = await client.list(kinds.Namespace);
    const live = left.items.filter(({ metadata }) => !metadata.deletionTimestamp).map(({ metadata }) => metadata.name);
    expect(live).toContain('theirs');
    expect(live).not.toContain('ours');
  });
});
