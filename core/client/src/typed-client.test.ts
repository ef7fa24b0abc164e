import { customResourceDefinition, defineKind, type ObjectOf, s } from '@tektite/schema';
import { type ControlPlane, startControlPlane } from '@tektite/testkit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { kinds } from './kinds.ts';
import { mergePatch } from './patch.ts';
import { typedClient, type TypedClient } from './typed-client.ts';

const Widget = defineKind({
  group: 'example.com',
  version: 'v1',
  kind: 'Widget',
  fields: { spec: s.object({ size: s.integer() }), status: s.object({ ready: s.boolean() }).optional() },
});

describe('a client for one kind and namespace', () => {
  let plane: ControlPlane;
  let widgets: TypedClient<ObjectOf<typeof Widget>>;

  beforeAll(async () => {
    plane = await startControlPlane();
    await plane.client.create(kinds.CustomResourceDefinition, customResourceDefinition([Widget]) as never);
    for (const name of ['team-a', 'team-b']) await plane.client.create(kinds.Namespace, { metadata: { name } });
    widgets = typedClient(plane.client, Widget, 'team-a');
  });
  afterAll(() => plane.close());

  it('does everything by name, in its namespace', async () => {
    const made = await widgets.create({ metadata: { name: 'a' }, spec: { size: 1 } });
    expect(made.metadata).toMatchObject({ name: 'a', namespace: 'team-a' });
    await widgets.update({ ...made, spec: { size: 2 } });
    await widgets.patch('a', mergePatch({ metadata: { labels: { tier: 'cache' } } }));
    await widgets.apply({ metadata: { name: 'b' }, spec: { size: 7 } });
    await widgets.patchStatus('a', mergePatch({ status: { ready: false } }));
    await widgets.applyStatus({ metadata: { name: 'a' }, status: { ready: true } }, { force: true });
    expect(await widgets.get('a')).toMatchObject({
      metadata: { labels: { tier: 'cache' } },
      spec: { size: 2 },
      status: { ready: true },
    });
    const b = await widgets.get('b');
    expect(await widgets.updateStatus({ ...b, status: { ready: false } })).toMatchObject({ status: { ready: false } });
    const sizes: number[] = [];
    for await (const { spec } of widgets.listAll()) sizes.push(spec.size);
    expect(sizes).toEqual([2, 7]);
    await widgets.delete('b');
    await expect(widgets.get('b')).rejects.toThrow('widgets.example.com "b" not found');
    await widgets.deleteCollection({ labelSelector: 'tier=cache' });
    expect((await widgets.list()).items).toEqual([]);
  });

  it('sees nothing of other namespaces, whether it lists, watches or follows', async () => {
    const others = widgets.in('team-b');
    await others.create({ metadata: { name: 'theirs' }, spec: { size: 1 } });
    await widgets.create({ metadata: { name: 'ours' }, spec: { size: 1 } });
    expect((await widgets.list()).items.map(({ metadata }) => metadata.name)).toEqual(['ours']);
    for await (const event of await widgets.watch()) {
      expect(event).toMatchObject({ type: 'ADDED', object: { metadata: { name: 'ours' } } });
      break;
    }
    const followed: string[] = [];
    for await (const event of widgets.follow()) {
      if (event.type === 'synced') break;
      if (event.type === 'added') followed.push(event.object.metadata.name ?? '');
    }
    expect(followed).toEqual(['ours']);
  });

  it.each([
    ['a key', () => widgets.get({ namespace: 'team-b', name: 'theirs' })],
    ['an object', () => widgets.create({ metadata: { namespace: 'team-b', name: 'x' }, spec: { size: 1 } })],
    ['a list', () => widgets.list({ namespace: 'team-b' })],
    ['a deletion of many', () => widgets.deleteCollection({ namespace: 'team-b' })],
  ])('refuses %s of another namespace', async (_title, act) => {
    await expect(act()).rejects.toThrow('this client is for Widget in team-a, not in team-b');
  });

  it('takes whole keys where it is for all namespaces, and names where the kind is in none', async () => {
    const everywhere = typedClient(plane.client, Widget);
    expect((await everywhere.get({ namespace: 'team-b', name: 'theirs' })).spec.size).toBe(1);
    await expect(everywhere.get('theirs')).rejects.toThrow('Widget objects are in a namespace and none was given');
    expect((await typedClient(plane.client, kinds.Namespace).get('team-a')).status?.phase).toBe('Active');
    expect(() => typedClient(plane.client, kinds.Namespace, 'team-a')).toThrow('in no namespace');
  });
});
