import { kinds } from '@tektite/client';
import { defineKind, s } from '@tektite/schema';
import { startControlPlane, virtualClock } from '@tektite/testkit';
import { describe, expect, it } from 'vitest';
import { definitionsOf, installKinds } from './definitions.ts';

const widget = (version: string, names: { plural?: string; kind?: string } = {}) =>
  defineKind({
    group: 'example.com',
    version,
    kind: 'Widget',
    ...names,
    fields: { spec: s.object({ size: s.integer().optional() }).optional() },
  });

describe('definitions of kinds', () => {
  it('are one for each group and kind, with all versions, the first of which is stored', () => {
    const other = defineKind({ group: 'other.com', version: 'v1', kind: 'Widget', fields: {} });
    const found = definitionsOf([widget('v1'), other, widget('v1beta1')]);
    expect(found.map(({ metadata }) => metadata.name)).toEqual(['widgets.example.com', 'widgets.other.com']);
    expect(found[0]?.spec.versions.map(({ name, storage }) => [name, storage])).toEqual([
      ['v1', true],
      ['v1beta1', false],
    ]);
  });

  it('are served after their installation, may be installed again, and grow', async () => {
    await using plane = await startControlPlane();
    const first = widget('v1');
    await installKinds(plane.client, [first]);
    await plane.client.create(first, { metadata: { namespace: 'default', name: 'a' }, spec: { size: 1 } });
    await installKinds(plane.client, [first]);
    const next = widget('v2');
    await installKinds(plane.client, [first, next]);
    expect((await plane.client.get(next, { namespace: 'default', name: 'a' })).spec).toEqual({ size: 1 });
  });

  it('keep what others say in them', async () => {
    await using plane = await startControlPlane();
    const name = 'widgets.example.com';
    await installKinds(plane.client, [widget('v1')]);
    await plane.client.apply(
      kinds.CustomResourceDefinition,
      { metadata: { name, labels: { team: 'a' } } },
      { fieldManager: 'team-a' },
    );
    await installKinds(plane.client, [widget('v1')]);
    const { metadata } = await plane.client.get(kinds.CustomResourceDefinition, { name });
    expect(metadata.labels).toEqual({ team: 'a' });
  });

  it('that cannot be served are reported after a minute, with the reason', async () => {
    const clock = virtualClock();
    await using plane = await startControlPlane({ clock });
    await clock.until(installKinds(plane.client, [widget('v1')]));
    const started = clock.now();
    const rival = widget('v1', { plural: 'rivals' });
    await expect(clock.until(installKinds(plane.client, [rival]))).rejects.toMatchObject({
      code: 'KIND_NOT_SERVED',
      message: expect.stringMatching(
        /^the definition rivals.example.com was not established: "widget(list)?" is already in use$/i,
      ),
    });
    expect(clock.now() - started).toBeGreaterThanOrEqual(60_000);
  });

  it('stop being waited for when the caller has no more time', async () => {
    const clock = virtualClock();
    await using plane = await startControlPlane({ clock });
    await clock.until(installKinds(plane.client, [widget('v1')]));
    const stopping = new AbortController();
    const waiting = installKinds(plane.client, [widget('v1', { plural: 'rivals' })], stopping.signal);
    const ended = expect(waiting).rejects.toThrow('enough');
    await clock.advance(1000);
    stopping.abort(new Error('enough'));
    await ended;
    await plane.close();
    expect(clock.pendingTimers).toBe(0);
  });
});
