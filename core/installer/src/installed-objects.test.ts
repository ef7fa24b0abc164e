import { type Client, kinds, mergePatch, type Transport } from '@tektite/client';
import { defineController, Manager } from '@tektite/controller';
import { type ControlPlane, startControlPlane } from '@tektite/testkit';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { InstalledObjects } from './installed-objects.ts';
import { configMap, definition } from './test-support.ts';

describe('installed objects', () => {
  let plane: ControlPlane;
  let client: Client;
  let manager: Manager;
  let installed: InstalledObjects;
  const reconciled: string[] = [];
  const requests: string[] = [];
  const watched: string[] = [];
  const poll = <T>(read: () => T) => expect.poll(read, { timeout: 20_000 });
  const map = (name: string) => ({ group: '', version: 'v1', kind: 'ConfigMap', namespace: 'default', name });

  beforeAll(async () => {
    plane = await startControlPlane();
    client = plane.client;
    const transport = plane.transport();
    const recording: Transport = {
      ...transport,
      request: (request) => {
        requests.push(`${request.method} ${request.path} ${request.accept ?? ''}`);
        return transport.request(request);
      },
      watch: async (request) => {
        const stream = await transport.watch(request);
        watched.push(request.path);
        return { ...stream, [Symbol.asyncIterator]: () => stream[Symbol.asyncIterator](), close: () => stream.close() };
      },
      stream: (request) => transport.stream(request),
      close: () => transport.close(),
    };
    installed = new InstalledObjects({
      concerns: (object, before) => object.metadata.labels?.counts !== before.metadata.labels?.counts,
    });
    manager = new Manager(plane.clientFor(recording), { name: 'test', graceMs: 0 });
    // Namespaces stand in for sets.
    const reconcile = ({ metadata }: { readonly metadata: { readonly name?: string } }) =>
      void reconciled.push(metadata.name ?? '');
    manager.add(
      defineController({
        name: 'sets',
        kind: kinds.Namespace,
        sources: [installed],
        predicate: () => false,
        reconcile,
      }),
    );
    manager.start();
    for (const name of ['one', 'two']) await client.create(kinds.Namespace, { metadata: { name } });
  });
  beforeEach(() => {
    reconciled.length = 0;
    watched.length = 0;
  });
  afterAll(async () => {
    await manager.stop();
    await plane.close();
  });

  it('enqueue the sets that have a deleted object, and no others', async () => {
    await client.create(configMap('a'));
    await client.create(configMap('b'));
    installed.follow('one', [map('a')]);
    installed.follow('two', [map('b')]);
    await poll(() => watched).toEqual(['/api/v1/namespaces/default/configmaps']);
    await client.delete(kinds.ConfigMap, { namespace: 'default', name: 'a' });
    await poll(() => reconciled).toEqual(['one']);
    await client.delete(kinds.ConfigMap, { namespace: 'default', name: 'b' });
    await poll(() => reconciled).toEqual(['one', 'two']);
  });

  it('are read as metadata', () => {
    const lists = requests.filter((request) => request.includes('configmaps'));
    expect(lists.length).toBeGreaterThan(0);
    for (const list of lists) expect(list).toContain('as=PartialObjectMetadataList');
  });

  it('enqueue a set when a change concerns it', async () => {
    await client.create(configMap('a'));
    await client.patch(kinds.ConfigMap, { namespace: 'default', name: 'a' }, mergePatch({ data: { edited: 'yes' } }));
    const labels = { counts: 'yes' };
    await client.patch(kinds.ConfigMap, { namespace: 'default', name: 'a' }, mergePatch({ metadata: { labels } }));
    await poll(() => reconciled).toEqual(['one']);
  });

  it('that are missing when their kind is first listed enqueue their set', async () => {
    installed.follow('two', [{ ...map('absent'), kind: 'Secret' }]);
    await poll(() => reconciled).toEqual(['two']);
  });

  it('may be of a kind that is not served yet', async () => {
    installed.follow('two', [{ group: 'example.com', version: 'v1', kind: 'Gear', namespace: 'default', name: 'g' }]);
    await client.create(definition('gears', 'Gear'));
    const gear = { apiVersion: 'example.com/v1', kind: 'Gear', metadata: { namespace: 'default', name: 'g' } };
    await expect
      .poll(
        () =>
          client.create(gear).then(
            () => true,
            () => false,
          ),
        { timeout: 20_000 },
      )
      .toBe(true);
    await poll(() => watched.filter((path) => path.includes('gears')).length).toBe(1);
    reconciled.length = 0;
    await client.delete(gear, { namespace: 'default', name: 'g' });
    await poll(() => reconciled).toContain('two');
  });

  it('of a set that is deleted are not watched any more', async () => {
    await client.create(kinds.ServiceAccount, { metadata: { namespace: 'default', name: 'a' } });
    installed.forget('one');
    installed.forget('two');
    installed.follow('one', [{ ...map('a'), kind: 'ServiceAccount' }]);
    await poll(() => watched).toEqual(['/api/v1/namespaces/default/serviceaccounts']);
    await client.delete(kinds.ConfigMap, { namespace: 'default', name: 'a' });
    await client.delete(kinds.ServiceAccount, { namespace: 'default', name: 'a' });
    await poll(() => reconciled).toEqual(['one']);
  });
});
