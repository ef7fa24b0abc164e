import { mergePatch } from '@tektite/client';
import { systemClock } from '@tektite/meta';
import { type ControlPlane, startControlPlane } from '@tektite/testkit';
import { describe, expect, it } from 'vitest';
import type { ToolApi } from '../api/tool-answers.ts';
import { serveKind, transportApi } from '../test-support.ts';
import { DiscoveryStore } from './discovery-store.ts';
import { ObjectStore } from './object-store.ts';
import { readTable } from './object-table.ts';

const configMaps = { group: '', version: 'v1', plural: 'configmaps' };
const kind = { apiVersion: 'v1', kind: 'ConfigMap' };

async function open(plane: ControlPlane): Promise<ObjectStore> {
  await plane.client.create({
    ...kind,
    metadata: { namespace: 'default', name: 'settings' },
    data: { level: 'info' },
  } as never);
  const options = {
    api: transportApi(plane.transport()),
    clock: systemClock,
    schedule: (flush: () => void) => flush(),
  };
  const store = new ObjectStore(configMaps, 'default', 'settings', options);
  await expect.poll(() => store.object.value).toBeDefined();
  return store;
}

describe('the store of an object', () => {
  it('asks for the plan of the operator before a TektonConfig is written', async () => {
    await using plane = await startControlPlane();
    await serveKind(plane, 'operator.tekton.dev', 'TektonConfig', { scope: 'Cluster' });
    const config = { apiVersion: 'operator.tekton.dev/v1', kind: 'TektonConfig', metadata: { name: 'config' } };
    await plane.client.create({ ...config, spec: { profile: 'lite' } } as never);
    const asked: string[] = [];
    const tools = {
      call: async (tool: string, { yaml = '' }) => {
        asked.push(`${tool} ${/profile: \w+/.exec(yaml)?.[0]}`);
        if (asked.length > 1) throw new Error('no release');
        return { components: [{ kind: 'TektonTrigger', name: 'trigger', fate: 'created', objects: [] }] };
      },
    } as ToolApi;
    const options = {
      api: transportApi(plane.transport()),
      clock: systemClock,
      schedule: (flush: () => void) => flush(),
    };
    const resource = { group: 'operator.tekton.dev', version: 'v1', plural: 'tektonconfigs' };
    const store = new ObjectStore(resource, undefined, 'config', { ...options, tools });
    await expect.poll(() => store.object.value).toBeDefined();
    store.begin();
    store.text.value = store.text.value.replace('profile: lite', 'profile: all');
    await store.check();
    expect(store.edit.value).toMatchObject({ phase: 'checked', components: [{ kind: 'TektonTrigger' }] });
    await store.check();
    expect(store.edit.value).toMatchObject({ phase: 'checked', planError: 'no release' });
    expect(asked).toEqual(['plan-config profile: all', 'plan-config profile: all']);
    store.stop();
  });

  it('checks an edit with the server, shows the difference, and writes it', async () => {
    await using plane = await startControlPlane();
    const store = await open(plane);
    store.begin();
    store.text.value = store.text.value.replace('level: info', 'level: debug');
    await store.check();
    expect(store.edit.value).toMatchObject({
      phase: 'checked',
      diff: expect.arrayContaining([
        { kind: 'removed', text: '  level: info' },
        { kind: 'added', text: '  level: debug' },
      ]),
    });
    const read = () => plane.client.get(kind, { namespace: 'default', name: 'settings' });
    expect(await read()).toMatchObject({ data: { level: 'info' } });
    await store.save();
    expect(await read()).toMatchObject({ data: { level: 'debug' } });
    store.stop();
  });

  it('goes on when only the status has changed meanwhile', async () => {
    await using plane = await startControlPlane();
    await serveKind(plane, 'example.com', 'Widget', { hasStatus: true });
    await serveKind(plane, 'example.com', 'Plain');
    const widget = { apiVersion: 'example.com/v1', kind: 'Widget' };
    const key = { namespace: 'default', name: 'w' };
    await plane.client.create({ ...widget, metadata: key, spec: { size: 1 }, status: { step: 1 } } as never);
    const options = {
      api: transportApi(plane.transport()),
      clock: systemClock,
      schedule: (flush: () => void) => flush(),
    };
    const store = new ObjectStore({ group: 'example.com', version: 'v1', plural: 'widgets' }, 'default', 'w', options);
    await expect.poll(() => store.object.value).toBeDefined();
    store.begin();
    store.text.value = store.text.value.replace('size: 1', 'size: 2');
    const status = { subresource: 'status' } as const;
    await plane.client.patch(widget, key, mergePatch({ status: { step: 2 } }), status);
    await store.check();
    expect(store.edit.value.phase).toBe('checked');
    await plane.client.patch(widget, key, mergePatch({ status: { step: 3 } }), status);
    await store.save();
    expect(store.edit.value).toEqual({ phase: 'none' });
    expect(await plane.client.get(widget, key)).toMatchObject({ spec: { size: 2 }, status: { step: 3 } });
    store.begin();
    await plane.client.patch(widget, key, mergePatch({ spec: { size: 3 } }));
    await store.check();
    expect(store.edit.value).toMatchObject({ phase: 'typing', isConflict: true });
    store.stop();
    // Of a kind without the subresource, the edit would undo the change of the status.
    const plain = { ...widget, kind: 'Plain' };
    await plane.client.create({ ...plain, metadata: key, status: { step: 1 } } as never);
    const other = new ObjectStore({ group: 'example.com', version: 'v1', plural: 'plains' }, 'default', 'w', options);
    await expect.poll(() => other.object.value).toBeDefined();
    other.begin();
    await plane.client.patch(plain, key, mergePatch({ status: { step: 2 } }));
    await other.check();
    expect(other.edit.value).toMatchObject({ phase: 'typing', isConflict: true });
    other.stop();
  });

  it('reports a conflict with a change of another client, and errors in the YAML', async () => {
    await using plane = await startControlPlane();
    const store = await open(plane);
    store.begin();
    const key = { namespace: 'default', name: 'settings' };
    await plane.client.patch(kind, key, mergePatch({ data: { level: 'warn' } }));
    await store.check();
    expect(store.edit.value).toMatchObject({ phase: 'typing', isConflict: true });
    store.text.value = 'a: [';
    await store.check();
    expect(store.edit.value).toMatchObject({
      phase: 'typing',
      isConflict: false,
      error: expect.stringMatching(/yaml/i),
    });
    store.stop();
  });
});

it('reads the resources of the server and their tables', async () => {
  await using plane = await startControlPlane();
  const api = transportApi(plane.transport());
  const discovery = new DiscoveryStore(api);
  await discovery.load();
  expect(discovery.find({ group: 'apps', plural: 'deployments' })).toMatchObject({
    kind: 'Deployment',
    isNamespaced: true,
  });
  expect(discovery.findKind('v1', 'Namespace')).toMatchObject({ plural: 'namespaces', isNamespaced: false });
  const table = await readTable(api, { group: '', version: 'v1', plural: 'namespaces' }, '');
  expect(table.columns.map(({ name }) => name)).toEqual(['Name', 'Status', 'Age']);
  expect(table.rows.find(({ name }) => name === 'default')?.cells[1]).toBe('Active');
});
