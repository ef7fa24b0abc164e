import { isStatusError, type KubeObject } from '@tektite/meta';
import { defineKind, s } from '@tektite/schema';
import { admin, type ControlPlane, httpsTransport, startControlPlane } from '@tektite/testkit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Client } from './client.ts';
import { kinds } from './kinds.ts';
import { linesOf } from './lines-of.ts';
import { jsonPatch, mergePatch, strategicMergePatch } from './patch.ts';
import { startFaultServer } from './transport/fault-server.cases.ts';
import { httpTransport } from './transport/http-transport.ts';

const namespace = 'default';

const Widget = defineKind({
  group: 'example.com',
  version: 'v1',
  kind: 'Widget',
  fields: {
    spec: s.object({ size: s.integer() }).optional(),
    status: s.object({ ready: s.boolean() }).optional(),
  },
});

const widgetDefinition = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'widgets.example.com' },
  spec: {
    group: 'example.com',
    scope: 'Namespaced',
    names: { plural: 'widgets', singular: 'widget', kind: 'Widget', listKind: 'WidgetList', shortNames: ['wd'] },
    versions: [
      {
        name: 'v1',
        served: true,
        storage: true,
        subresources: { status: {} },
        schema: {
          openAPIV3Schema: {
            type: 'object',
            properties: {
              spec: { type: 'object', properties: { size: { type: 'integer' } } },
              status: { type: 'object', properties: { ready: { type: 'boolean' } } },
            },
          },
        },
      },
    ],
  },
};

const deployment = (name: string) => ({
  metadata: { namespace, name },
  spec: {
    selector: { matchLabels: { app: name } },
    template: { metadata: { labels: { app: name } }, spec: { containers: [{ name: 'web', image: 'web:1' }] } },
  },
});

describe.each(['in process', 'over HTTPS'])('a client %s', (where) => {
  let plane: ControlPlane;
  let client: Client;
  const warnings: string[] = [];
  beforeAll(async () => {
    plane = await startControlPlane();
    const transport = where === 'in process' ? plane.transport() : await httpsTransport(plane);
    client = new Client(transport, { onWarning: (warning) => warnings.push(warning) });
  });
  afterAll(async () => {
    await client.close();
    await plane.close();
  });

  it('creates, reads, replaces and deletes objects of a kind', async () => {
    const created = await client.create(kinds.ConfigMap, { metadata: { namespace, name: 'crud' }, data: { a: '1' } });
    expect(created).toMatchObject({ apiVersion: 'v1', kind: 'ConfigMap', data: { a: '1' } });
    const updated = await client.update(kinds.ConfigMap, { ...created, data: { a: '2' } });
    expect(updated.data).toEqual({ a: '2' });
    expect(await client.get(kinds.ConfigMap, { namespace, name: 'crud' })).toEqual(updated);
    await expect(client.update(created)).rejects.toSatisfy((error) => isStatusError(error, 'Conflict'));
    await client.delete(kinds.ConfigMap, { namespace, name: 'crud' });
    await expect(client.get(kinds.ConfigMap, { namespace, name: 'crud' })).rejects.toSatisfy((error) =>
      isStatusError(error, 'NotFound'),
    );
  });

  it('writes objects that say themselves what they are', async () => {
    const object = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { namespace, name: 'dynamic' }, data: { a: '1' } };
    await client.create(object);
    await client.apply({ ...object, data: { b: '2' } });
    expect(await client.get(object, { namespace, name: 'dynamic' })).toMatchObject({ data: { a: '1', b: '2' } });
  });

  it('says in every item of a list what it is', async () => {
    await client.create(kinds.ConfigMap, { metadata: { namespace, name: 'listed' } });
    const list = await client.list(kinds.ConfigMap, { namespace, fieldSelector: 'metadata.name=listed' });
    expect(list.items).toHaveLength(1);
    expect(list.items[0]).toMatchObject({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'listed' } });
    const dynamic = await client.list({ apiVersion: 'v1', kind: 'ConfigMap' }, { namespace });
    expect(dynamic.items.every(({ kind }) => kind === 'ConfigMap')).toBe(true);
    expect((await client.list(kinds.Pod)).items).toEqual([]);
  });

  it('patches in all forms', async () => {
    const key = { namespace, name: 'patched' };
    await client.create(kinds.Deployment, deployment('patched'));
    const merged = await client.patch(kinds.Deployment, key, mergePatch({ spec: { paused: true } }));
    expect(merged.spec?.paused).toBe(true);
    const stepped = await client.patch(kinds.Deployment, key, jsonPatch([{ op: 'remove', path: '/spec/paused' }]));
    expect(stepped.spec?.paused).toBeUndefined();
    const sidecar = { spec: { template: { spec: { containers: [{ name: 'sidecar', image: 'side:1' }] } } } };
    const strategic = await client.patch(kinds.Deployment, key, strategicMergePatch(sidecar));
    expect(strategic.spec?.template.spec?.containers?.map(({ name }) => name)).toEqual(['sidecar', 'web']);
  });

  it('applies, reports conflicts, and takes over when forced', async () => {
    const settings = (value: string) => ({ metadata: { namespace, name: 'applied' }, data: { a: value } });
    const first = await client.apply(kinds.ConfigMap, settings('1'));
    expect(first.metadata.managedFields?.[0]).toMatchObject({ manager: 'tektite', operation: 'Apply' });
    const other = { fieldManager: 'other' };
    await expect(client.apply(kinds.ConfigMap, settings('2'), other)).rejects.toSatisfy((error) =>
      isStatusError(error, 'Conflict'),
    );
    const forced = await client.apply(kinds.ConfigMap, settings('2'), { ...other, force: true });
    expect(forced.data).toEqual({ a: '2' });
  });

  it('writes the status apart from the object', async () => {
    const key = { namespace, name: 'with-status' };
    const created = await client.create(kinds.Deployment, deployment('with-status'));
    await client.updateStatus(kinds.Deployment, { ...created, status: { replicas: 1 } });
    await client.patchStatus(kinds.Deployment, key, mergePatch({ status: { readyReplicas: 1 } }));
    await client.applyStatus(kinds.Deployment, { metadata: key, status: { updatedReplicas: 1 } });
    const { status, spec } = await client.get(kinds.Deployment, key);
    expect(status).toMatchObject({ replicas: 1, readyReplicas: 1, updatedReplicas: 1 });
    expect(spec?.replicas).toBe(1);
  });

  it('scales', async () => {
    const key = { namespace, name: 'scaled' };
    await client.create(kinds.Deployment, deployment('scaled'));
    expect((await client.scale(kinds.Deployment, key, 5)).spec?.replicas).toBe(5);
    expect((await client.getScale(kinds.Deployment, key)).spec?.replicas).toBe(5);
  });

  it('tries without keeping', async () => {
    await client.create(kinds.ConfigMap, { metadata: { namespace, name: 'dry' } }, { dryRun: true });
    await expect(client.get(kinds.ConfigMap, { namespace, name: 'dry' })).rejects.toSatisfy((error) =>
      isStatusError(error, 'NotFound'),
    );
  });

  it('deletes only the object that is meant', async () => {
    const key = { namespace, name: 'precious' };
    await client.create(kinds.ConfigMap, { metadata: key });
    const other = client.delete(kinds.ConfigMap, key, { preconditions: { uid: 'another' } });
    await expect(other).rejects.toSatisfy((error) => isStatusError(error, 'Conflict'));
    const kept = await client.delete(kinds.ConfigMap, key, { propagationPolicy: 'Foreground' });
    expect(kept).toMatchObject({ metadata: { finalizers: ['foregroundDeletion'] } });
  });

  it('deletes what is selected', async () => {
    for (const name of ['sel-a', 'sel-b', 'other'])
      await client.create(kinds.Secret, { metadata: { namespace, name, labels: { set: name.slice(0, 3) } } });
    await client.deleteCollection(kinds.Secret, { namespace, labelSelector: 'set=sel' });
    const left = await client.list(kinds.Secret, { namespace });
    expect(left.items.map(({ metadata }) => metadata.name)).toEqual(['other']);
  });

  it('lists page by page', async () => {
    for (let i = 0; i < 7; i++)
      await client.create(kinds.Secret, { metadata: { namespace, name: `page-${i}`, labels: { p: '' } } });
    const names: (string | undefined)[] = [];
    for await (const { metadata, kind } of client.listAll(kinds.Secret, { namespace, labelSelector: 'p', limit: 2 })) {
      expect(kind).toBe('Secret');
      names.push(metadata.name);
    }
    expect(names).toEqual(['page-0', 'page-1', 'page-2', 'page-3', 'page-4', 'page-5', 'page-6']);
  });

  it('watches', async () => {
    const created = await client.create(kinds.ConfigMap, { metadata: { namespace, name: 'watched' } });
    const stream = await client.watch(kinds.ConfigMap, {
      namespace,
      fieldSelector: 'metadata.name=watched',
      resourceVersion: created.metadata.resourceVersion ?? '',
    });
    await client.delete(kinds.ConfigMap, { namespace, name: 'watched' });
    for await (const event of stream) {
      expect(event).toMatchObject({ type: 'DELETED', object: { metadata: { name: 'watched' } } });
      break;
    }
  });

  it('lists and watches nothing but metadata, with the kind of the objects', async () => {
    const name = 'metadata-only';
    await client.create(kinds.ConfigMap, { metadata: { namespace, name }, data: { a: 'b' } });
    const selection = { namespace, fieldSelector: `metadata.name=${name}`, metadataOnly: true };
    const list = await client.list(kinds.ConfigMap, selection);
    const expected = { apiVersion: 'v1', kind: 'ConfigMap', metadata: expect.objectContaining({ name }) };
    expect(list.items).toEqual([expected]);
    const stream = await client.watch(kinds.ConfigMap, selection);
    for await (const event of stream) {
      expect(event).toEqual({ type: 'ADDED', object: expected });
      break;
    }
  });

  it('evicts pods', async () => {
    const key = { namespace, name: 'evicted' };
    await client.create(kinds.Pod, {
      metadata: { ...key },
      spec: { containers: [{ name: 'a', image: 'a' }], terminationGracePeriodSeconds: 0 },
    });
    await client.evict(key);
    await expect(client.get(kinds.Pod, key)).rejects.toSatisfy((error) => isStatusError(error, 'NotFound'));
  });

  it('creates subresources with a different kind', async () => {
    const request = {
      apiVersion: 'authentication.k8s.io/v1',
      kind: 'TokenRequest',
      metadata: {},
      spec: { audiences: [], expirationSeconds: 600 },
    };
    await client.create(kinds.ServiceAccount, { metadata: { namespace, name: 'robot' } });
    const answer = await client.createSubresource(kinds.ServiceAccount, { namespace, name: 'robot' }, 'token', request);
    expect((answer as unknown as { status: { token: string } }).status.token).toMatch(/^ey/);
  });

  it('hands warnings to who wants them', async () => {
    const object = { metadata: { namespace, name: 'warned' }, colour: 'red' };
    await client.create(kinds.ConfigMap, object, { fieldValidation: 'Warn' });
    expect(warnings).toEqual(['unknown field "colour"']);
    await expect(
      client.create(
        kinds.ConfigMap,
        { ...object, metadata: { namespace, name: 'strict' } },
        { fieldValidation: 'Strict' },
      ),
    ).rejects.toSatisfy((error) => isStatusError(error, 'BadRequest'));
  });

  it('finds kinds that were defined a moment ago', async () => {
    const widget = {
      apiVersion: 'example.com/v1',
      kind: 'Widget',
      metadata: { namespace, name: 'first' },
      spec: { size: 1 },
    };
    await expect(client.create(widget)).rejects.toMatchObject({ code: 'UNKNOWN_KIND' });
    await client.create(widgetDefinition);
    await expect.poll(() => client.create(widget).catch(({ code }) => code)).toMatchObject({ spec: { size: 1 } });
    const typed = await client.get(Widget, { namespace, name: 'first' });
    expect(typed.spec?.size).toBe(1);
    await client.patchStatus(Widget, { namespace, name: 'first' }, mergePatch({ status: { ready: true } }));
    expect((await client.list(Widget)).items[0]?.status?.ready).toBe(true);
    expect(await client.discovery.lookup('wd')).toMatchObject({ kind: 'Widget', plural: 'widgets' });

    // The written object stays the caller's, for custom resources too.
    widget.spec.size = 2;
    expect((await client.get(Widget, { namespace, name: 'first' })).spec?.size).toBe(1);
    const configuration = { metadata: { namespace, name: 'second' }, spec: { size: 1 } };
    await client.apply(Widget, configuration);
    configuration.spec.size = 2;
    expect((await client.get(Widget, { namespace, name: 'second' })).spec?.size).toBe(1);
  });
});

describe('a client', () => {
  it('follows a log until it is aborted', async () => {
    await using server = await startFaultServer((request, response) => {
      response.writeHead(200, { 'content-type': 'text/plain' });
      response.write(`asked for ${request.url}\nsecond li`);
      setTimeout(() => response.write('ne\n'), 20);
    });
    const client = new Client(httpTransport(server.config));
    const controller = new AbortController();
    const options = { container: 'web', follow: true, tailLines: 0, signal: controller.signal };
    const log = await client.log({ namespace, name: 'web-0' }, options);
    const lines: string[] = [];
    const reading = (async () => {
      for await (const line of linesOf(log)) if (lines.push(line) === 2) controller.abort(new Error('enough'));
    })();
    await expect(reading).rejects.toThrow('enough');
    expect(lines).toEqual([
      'asked for /api/v1/namespaces/default/pods/web-0/log?container=web&follow=true&tailLines=0',
      'second line',
    ]);
    await client.close();
  });

  it('rejects invalid arguments before it sends a request', async () => {
    await using plane = await startControlPlane();
    const { client } = plane;
    const invalid: [string, () => Promise<unknown>][] = [
      ['none was given', () => client.get(kinds.Pod, { name: 'a' })],
      ['in no namespace', () => client.get(kinds.Node, { namespace: 'a', name: 'b' })],
      ['not possible as a name', () => client.get(kinds.Node, { name: '..' })],
      ['not possible as a name', () => client.get(kinds.Node, { name: 'a/status' })],
      ['not possible as a namespace', () => client.list(kinds.Pod, { namespace: 'a/b' })],
      ['has no name', () => client.update(kinds.Pod, { metadata: { namespace: 'a' } })],
      [
        'is to be written as',
        () => client.create(kinds.Pod, { apiVersion: 'v1', kind: 'Node', metadata: { namespace: 'a' } } as KubeObject),
      ],
    ];
    for (const [message, act] of invalid)
      await expect(act()).rejects.toMatchObject({ code: 'INVALID_REQUEST', message: expect.stringContaining(message) });
  });

  it('acts as the user it was made for', async () => {
    await using plane = await startControlPlane();
    const unprivileged = plane.clientFor({ name: 'nobody', groups: ['system:authenticated'] });
    await expect(unprivileged.list(kinds.Secret)).rejects.toSatisfy((error) => isStatusError(error, 'Forbidden'));
    expect((await plane.clientFor(admin).list(kinds.Secret)).items).toEqual([]);
  });
});
