import { kinds } from '@tektite/client';
import type { KubeObject } from '@tektite/meta';
import { defineKind, type ObjectOf, s } from '@tektite/schema';
import type { ClusterRole } from '@tektite/schema/kubernetes';
import { type ControlPlane, startControlPlane, virtualClock } from '@tektite/testkit';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { defineController } from '../reconcile/controller-definition.ts';
import { configMapWebhook } from '../webhook/config-map-webhook.ts';
import { conversion, spoke } from '../webhook/conversion.ts';
import { conversionWebhook } from '../webhook/conversion-webhook.ts';
import { LocalWebhookService } from '../webhook/local-webhook-service.ts';
import { validating, validatingWebhook } from '../webhook/validating-webhook.ts';
import type { DefineKind } from './definitions.ts';
import { startSystems } from './start-systems.ts';
import type { System } from './system.ts';

const eventually = <T>(read: () => T) => expect.poll(read, { timeout: 10_000 });
const Widget = defineKind({
  group: 'example.com',
  version: 'v1',
  kind: 'Widget',
  fields: { spec: s.object({ size: s.integer() }).optional() },
});
const settings = {
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { namespace: 'default', name: 'settings' },
  data: { level: 'info' },
};
const service = { namespace: 'default', name: 'webhook' };

function widgets(seen: string[] = []): System {
  return {
    name: 'widgets',
    kinds: [Widget],
    controllers: [defineController({ name: 'widgets', kind: Widget, reconcile: (_, { key }) => void seen.push(key) })],
    objects: [settings],
    webhooks: [validatingWebhook({ name: 'validation.example.com', rules: [validating(Widget, () => undefined)] })],
  };
}

describe('systems', () => {
  let plane: ControlPlane;
  beforeEach(async () => void (plane = await startControlPlane()));
  afterEach(() => plane.close());

  const widget = (name: string) => plane.client.create(Widget, { metadata: { namespace: 'default', name } });

  it('are installed, and at work, with one call', async () => {
    const seen: string[] = [];
    const webhooks = { host: plane.server.localWebhooks, service };
    await using running = await startSystems([widgets(seen)], { client: plane.client, webhooks });
    await widget('a');
    await eventually(() => seen).toEqual(['default/a']);
    expect(running.health()).toMatchObject({ healthy: true, ready: true, webhooks: { healthy: true } });
    expect(await plane.client.get(kinds.ConfigMap, { namespace: 'default', name: 'settings' })).toMatchObject({
      data: { level: 'info' },
    });
    expect((await plane.client.list(kinds.ValidatingWebhookConfiguration)).items).toHaveLength(1);
  });

  it('migrate objects that an earlier version stored', async () => {
    const old = defineKind({ group: 'example.com', version: 'v1beta1', kind: 'Widget', fields: {} });
    await using running = await startSystems([{ name: 'old', kinds: [old], controllers: [] }], plane);
    await running.stop();
    await plane.client.create(old, { metadata: { namespace: 'default', name: 'a' } });
    await using _ = await startSystems([{ ...widgets(), kinds: [Widget, old] }], plane);
    const key = { name: 'widgets.example.com' };
    const stored = async () =>
      (await plane.client.get(kinds.CustomResourceDefinition, key)).status?.storedVersions ?? [];
    await eventually(stored).toEqual(['v1']);
  });

  it('start on a server whose webhooks wait for them', async () => {
    const webhooks = { host: plane.server.localWebhooks, service };
    const guard = configMapWebhook({ name: 'config.example.com', configs: [] });
    const system: System = { ...widgets(), webhooks: [guard] };
    await (await startSystems([{ ...system, objects: [] }], { client: plane.client, webhooks })).stop();
    const create = plane.client.create(kinds.ConfigMap, { metadata: { namespace: 'default', name: 'other' } } as never);
    await expect(create).rejects.toThrow('failed calling webhook "config.example.com"');
    for (const _ of [1, 2]) {
      await using running = await startSystems([system], { client: plane.client, webhooks });
      expect(running.health()).toMatchObject({ healthy: true });
      await plane.client.get(kinds.ConfigMap, { namespace: 'default', name: 'settings' });
    }
  });

  it('install what waits for a webhook of another process when that answers', async () => {
    const elsewhere = { namespace: 'default', name: 'elsewhere' };
    const guard = configMapWebhook({ name: 'config.example.com', configs: [] });
    const host = plane.server.localWebhooks;
    await (
      await LocalWebhookService.start({ host, service: elsewhere, client: plane.client, webhooks: [guard] })
    ).stop();
    await using _ = await startSystems([widgets()], { client: plane.client, webhooks: { host, service } });
    const read = () => plane.client.get(kinds.ConfigMap, { namespace: 'default', name: 'settings' });
    await expect(read()).rejects.toThrow('not found');
    await using __ = await LocalWebhookService.start({
      host,
      service: elsewhere,
      client: plane.client,
      webhooks: [guard],
    });
    await eventually(() => read().then(({ data }) => data)).toEqual({ level: 'info' });
  });

  it('convert between versions from the beginning on a server of this process, whose definitions are written once', async () => {
    const OldWidget = defineKind({
      group: 'example.com',
      version: 'v1beta1',
      kind: 'Widget',
      fields: { spec: s.object({ length: s.integer() }).optional() },
    });
    const toHub = ({ spec, ...rest }: ObjectOf<typeof OldWidget>) => ({
      ...rest,
      ...(spec ? { spec: { size: spec.length } } : {}),
    });
    const fromHub = ({ spec, ...rest }: ObjectOf<typeof Widget>) => ({
      ...rest,
      ...(spec ? { spec: { length: spec.size } } : {}),
    });
    const rules = [conversion({ hub: Widget, spokes: [spoke(OldWidget, Widget, { toHub, fromHub })] })];
    const system: System = { ...widgets(), kinds: [Widget, OldWidget], webhooks: [conversionWebhook({ rules })] };
    const webhooks = { host: plane.server.localWebhooks, service };
    const define: DefineKind = (definition) => plane.server.define(definition);
    await using _ = await startSystems([system], { client: plane.client, webhooks, define });
    const key = { namespace: 'default', name: 'a' };
    await plane.client.create(OldWidget, { metadata: key, spec: { length: 3 } });
    expect((await plane.client.get(Widget, key)).spec).toEqual({ size: 3 });
    const { metadata } = await plane.client.get(kinds.CustomResourceDefinition, { name: 'widgets.example.com' });
    expect(metadata.generation).toBe(1);
  });

  it('leave settings alone that an administrator has changed', async () => {
    await plane.client.create(kinds.ConfigMap, { ...settings, data: { level: 'debug' } });
    await using _ = await startSystems([widgets()], { client: plane.client });
    const { data } = await plane.client.get(kinds.ConfigMap, { namespace: 'default', name: 'settings' });
    expect(data).toEqual({ level: 'debug' });
  });

  it('narrow the rules of their roles to those of this version, unless an administrator opted out', async () => {
    const role = (name: string, verbs: string[], annotations = {}): ClusterRole => ({
      apiVersion: 'rbac.authorization.k8s.io/v1',
      kind: 'ClusterRole',
      metadata: { name, annotations },
      rules: [{ apiGroups: [''], resources: ['secrets'], verbs }],
    });
    await plane.client.create(kinds.ClusterRole, role('hosts', ['*']));
    const optOut = { 'rbac.authorization.kubernetes.io/autoupdate': 'false' };
    await plane.client.create(kinds.ClusterRole, role('kept', ['*'], optOut));
    const objects = ['hosts', 'kept'].map((name) => role(name, ['get']) as KubeObject);
    await using _ = await startSystems([{ ...widgets(), objects }], { client: plane.client });
    const verbs = async (name: string) => (await plane.client.get(kinds.ClusterRole, { name })).rules?.[0]?.verbs;
    expect([await verbs('hosts'), await verbs('kept')]).toEqual([['get'], ['*']]);
  });

  it('say which of their objects the server does not take', async () => {
    const nowhere = { ...settings, metadata: { namespace: 'nowhere', name: 'settings' } };
    const system = { ...widgets(), objects: [nowhere] };
    await expect(startSystems([system], { client: plane.client })).rejects.toThrow(
      'ConfigMap settings could not be created: namespaces "nowhere" not found',
    );
  });

  it('write nothing of the kind where another component installs them', async () => {
    await using _ = await startSystems([{ ...widgets(), controllers: [] }], { client: plane.client, install: false });
    expect((await plane.client.list(kinds.CustomResourceDefinition)).items).toEqual([]);
    expect((await plane.client.list(kinds.ConfigMap, { namespace: 'default' })).items).toEqual([]);
  });

  it('whose parts cannot all start leave nothing running: no webhook, no lease, no controller, no timer', async () => {
    const clock = virtualClock();
    await using still = await startControlPlane({ clock });
    const seen: string[] = [];
    const twice = [widgets(seen), { ...widgets(seen), name: 'again', webhooks: [] }];
    const webhooks = { host: still.server.localWebhooks, service };
    const election = { namespace: 'default', buckets: 1 };
    const start = clock.until(startSystems(twice, { client: still.client, webhooks, election, graceMs: 0 }));
    await expect(start).rejects.toThrow('there is a controller "widgets" already');
    const { items } = await clock.until(still.client.list(kinds.Lease, { namespace: 'default' }));
    expect(items.filter(({ spec }) => spec?.holderIdentity)).toEqual([]);
    // The remaining entry names an address without a listener.
    await expect(
      clock.until(still.client.create(Widget, { metadata: { namespace: 'default', name: 'a' } })),
    ).rejects.toThrow('failed calling webhook "validation.example.com"');
    expect(seen).toEqual([]);
    await still.close();
    expect(clock.pendingTimers).toBe(0);
  });

  it('share their objects between processes, and give them back when they end', async () => {
    const timing = { leaseDurationMs: 3000, renewDeadlineMs: 2000, retryPeriodMs: 50 };
    const election = { namespace: 'default', buckets: 1, ...timing };
    const first: string[] = [];
    const second: string[] = [];
    const one = await startSystems([widgets(first)], { client: plane.client, election, name: 'w' });
    await widget('a');
    await eventually(() => first).toEqual(['default/a']);
    await using _ = await startSystems([widgets(second)], { client: plane.client, election, name: 'w' });
    await widget('b');
    await eventually(() => first).toEqual(['default/a', 'default/b']);
    expect(second).toEqual([]);
    await one.stop();
    await widget('c');
    await eventually(() => [...second].sort()).toEqual(['default/a', 'default/b', 'default/c']);
  });

  it('share their objects by the numbers of their Pods, without Leases', async () => {
    const place = { statefulSet: 'w', service: 'w', namespace: 'default', buckets: 2 };
    const start = (ordinal: number, seen: string[]) =>
      startSystems([widgets(seen)], { client: plane.client, election: { ordinal: { ...place, ordinal } }, name: 'w' });
    const seen: [string[], string[]] = [[], []];
    await using _first = await start(0, seen[0]);
    await using _second = await start(1, seen[1]);
    const names = Array.from({ length: 8 }, (_, index) => `default/w${index}`);
    await Promise.all(names.map((key) => widget(key.slice('default/'.length))));
    await eventually(() => [...new Set(seen.flat())].sort()).toEqual(names);
    expect(seen[0].filter((key) => seen[1].includes(key))).toEqual([]);
    expect(seen.map((keys) => keys.length > 0)).toEqual([true, true]);
    expect((await plane.client.list(kinds.Lease, { namespace: 'default' })).items).toEqual([]);
  });

  it('stop where time stands still', async () => {
    const clock = virtualClock();
    await using still = await startControlPlane({ clock });
    const running = await clock.until(startSystems([widgets()], { client: still.client, graceMs: 0 }));
    await running.stop();
    expect(running.health().ready).toBe(false);
  });

  it('release their Leases when they stop, and answer webhooks until the shutdown delay has passed', async () => {
    const clock = virtualClock();
    await using served = await startControlPlane({ clock });
    const { client } = served;
    const webhooks = { host: served.server.localWebhooks, service };
    const election = { namespace: 'default', buckets: 1 };
    const options = { client, webhooks, election, name: 'w', shutdownDelayMs: 5000 };
    const running = await clock.until(startSystems([widgets()], options));
    const holder = async () =>
      (await client.list(kinds.Lease, { namespace: 'default' })).items[0]?.spec?.holderIdentity;
    await clock.advance(5000);
    expect(await holder()).not.toBe('');
    const stopped = running.stop();
    expect(running.health()).toMatchObject({ ready: false });
    await clock.advance(4000);
    expect(await holder()).toBe('');
    const create = (name: string) => client.create(Widget, { metadata: { namespace: 'default', name } });
    await create('during');
    await clock.until(stopped);
    await expect(create('after')).rejects.toThrow('failed calling webhook');
  });
});
