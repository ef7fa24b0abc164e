import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { SegmentJournal } from '../storage/journal/segment-journal.ts';
import { RevisionStore } from '../storage/revision-store.ts';
import { temporaryFolder } from '../storage/journal/test-support.ts';
import { type AnyObject, ManualClock, TestServer } from '../test-support.ts';

const path = '/api/v1/namespaces/default/configmaps';
const configMap = (name: string, data: Record<string, string> = {}, metadata: object = {}) => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name, ...metadata },
  data,
});
const merge = { headers: { 'content-type': 'application/merge-patch+json' } };

describe('a new object', () => {
  it('gets what only the server gives, whatever its author says', async () => {
    const clock = new ManualClock('2026-03-01T12:00:00Z');
    await using server = await TestServer.start({ clock });
    const object = await server.ok('POST', path, {
      ...configMap('a'),
      metadata: {
        name: 'a',
        uid: 'mine',
        creationTimestamp: '1999-01-01T00:00:00Z',
        deletionTimestamp: '1999-01-01T00:00:00Z',
        selfLink: '/x',
        generation: 7,
      },
    });
    expect(object.metadata).toMatchObject({
      name: 'a',
      namespace: 'default',
      creationTimestamp: '2026-03-01T12:00:00Z',
    });
    expect(object.metadata.uid).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4/);
    for (const field of ['deletionTimestamp', 'selfLink', 'generation'] as const)
      expect(object.metadata[field]).toBeUndefined();
  });

  it('is refused when its name is taken, with another namespace, or with a version', async () => {
    await using server = await TestServer.start();
    await server.ok('POST', path, configMap('a'));
    const taken = await server.send('POST', path, configMap('a'));
    expect(taken).toMatchObject({
      code: 409,
      object: { reason: 'AlreadyExists', message: 'configmaps "a" already exists' },
    });
    const elsewhere = await server.send('POST', path, configMap('b', {}, { namespace: 'other' }));
    expect(elsewhere.code).toBe(400);
    expect((await server.send('POST', path, configMap('b', {}, { resourceVersion: '1' }))).code).toBe(500);
    expect((await server.send('POST', '/api/v1/namespaces/nowhere/configmaps', configMap('b'))).code).toBe(404);
  });

  it('gets a free name when it asks for one', async () => {
    await using server = await TestServer.start();
    const names = new Set<string>();
    for (let i = 0; i < 50; i++) {
      const { metadata } = await server.ok('POST', path, { ...configMap(''), metadata: { generateName: 'job-' } });
      expect(metadata.name).toMatch(/^job-[a-z0-9]{5}$/);
      names.add(metadata.name as string);
    }
    expect(names.size).toBe(50);
  });

  it('is one, when many ask for the same name at once', async () => {
    await using server = await TestServer.start();
    const answers = await Promise.all(Array.from({ length: 20 }, () => server.send('POST', path, configMap('a'))));
    expect(answers.filter(({ code }) => code === 201)).toHaveLength(1);
    expect(answers.filter(({ code }) => code === 409)).toHaveLength(19);
  });
});

describe('an update', () => {
  it('with a resourceVersion succeeds only without a concurrent write', async () => {
    await using server = await TestServer.start();
    const first = await server.ok('POST', path, configMap('a'));
    await server.ok('PUT', `${path}/a`, { ...first, data: { x: '1' } });
    const late = await server.send('PUT', `${path}/a`, { ...first, data: { x: '2' } });
    expect(late).toMatchObject({
      code: 409,
      object: {
        reason: 'Conflict',
        message:
          'Operation cannot be fulfilled on configmaps "a": the object has been modified; please apply your changes to the latest version and try again',
      },
    });
    const { resourceVersion } = first.metadata;
    const patch = await server.send('PATCH', `${path}/a`, { metadata: { resourceVersion }, data: { x: '3' } }, merge);
    expect(patch.code).toBe(409);
    const racing = await server.ok('GET', `${path}/a`);
    const answers = await Promise.all(
      ['4', '5', '6'].map((x) => server.send('PUT', `${path}/a`, { ...racing, data: { x } })),
    );
    expect(answers.map(({ code }) => code).sort((x, y) => x - y)).toEqual([200, 409, 409]);
  });

  it('without one overwrites', async () => {
    await using server = await TestServer.start();
    await server.ok('POST', path, configMap('a', { x: '1' }));
    expect((await server.ok('PUT', `${path}/a`, configMap('a', { y: '2' }))).data).toEqual({ y: '2' });
  });

  it('that changes nothing writes nothing', async () => {
    await using server = await TestServer.start();
    const object = await server.ok('POST', path, configMap('a', { x: '1' }));
    expect(await server.ok('PUT', `${path}/a`, object)).toEqual(object);
    expect(await server.ok('PATCH', `${path}/a`, { data: { x: '1' } }, merge)).toEqual(object);
    const { revision } = server.server.storage;
    expect(revision).toBe(Number(object.metadata.resourceVersion));
  });

  it('cannot change who the object is', async () => {
    await using server = await TestServer.start();
    const object = await server.ok('POST', path, configMap('a'));
    const update = (metadata: object) =>
      server.send('PUT', `${path}/a`, { ...configMap('a'), metadata: { name: 'a', ...metadata } });
    expect((await update({ uid: 'other' })).code).toBe(409);
    expect((await update({ name: 'b' })).code).toBe(400);
    expect((await update({ namespace: 'other' })).code).toBe(400);
    const changed = await update({ creationTimestamp: '1999-01-01T00:00:00Z' });
    expect(changed.object.metadata.creationTimestamp).toBe(object.metadata.creationTimestamp);
    expect((await update({ deletionTimestamp: '1999-01-01T00:00:00Z' })).code).toBe(422);
  });

  it.each(['in memory', 'on disk'])('by many at once loses none of theirs, %s', async (where) => {
    await using folder = await temporaryFolder();
    const journal = where === 'on disk' ? await SegmentJournal.open(join(folder.path, 'state')) : undefined;
    await using server = await TestServer.start({ storage: new RevisionStore(journal ? { journal } : {}) });
    await server.ok('POST', path, configMap('a'));
    const count = 60;
    const numbers = Array.from({ length: count }, (_, i) => i);
    const answers = await Promise.all([
      ...numbers.map((i) => server.send('PATCH', `${path}/a`, { data: { [`m${i}`]: 'v' } }, merge)),
      ...numbers.map((i) =>
        server.send(
          'PATCH',
          `${path}/a?fieldManager=m${i}`,
          { ...configMap('a', { [`a${i}`]: 'v' }) },
          {
            headers: { 'content-type': 'application/apply-patch+yaml' },
          },
        ),
      ),
    ]);
    expect(answers.map(({ code }) => code)).toEqual(Array.from({ length: 2 * count }, () => 200));
    expect(Object.keys((await server.ok('GET', `${path}/a`)).data ?? {})).toHaveLength(2 * count);
  });

  it('by an apply that meets another’s first one becomes part of the same object', async () => {
    await using server = await TestServer.start();
    const answers = await Promise.all(
      Array.from({ length: 10 }, (_, i) =>
        server.send('PATCH', `${path}/new?fieldManager=m${i}`, configMap('new', { [`k${i}`]: 'v' }), {
          headers: { 'content-type': 'application/apply-patch+yaml' },
        }),
      ),
    );
    expect(answers.filter(({ code }) => code === 201)).toHaveLength(1);
    expect(answers.filter(({ code }) => code === 200)).toHaveLength(9);
    expect(Object.keys((await server.ok('GET', `${path}/new`)).data ?? {})).toHaveLength(10);
  });
});

describe('a dry run', () => {
  it('answers as if, and changes nothing', async () => {
    await using server = await TestServer.start();
    const { revision } = server.server.storage;
    const created = await server.ok('POST', `${path}?dryRun=All`, configMap('a', { x: '1' }));
    expect(created.metadata).toMatchObject({ name: 'a', namespace: 'default' });
    expect(created.metadata.resourceVersion).toBeUndefined();
    expect((await server.send('GET', `${path}/a`)).code).toBe(404);
    expect(server.server.storage.revision).toBe(revision);
    await server.ok('POST', path, configMap('a', { x: '1' }));
    expect((await server.ok('PUT', `${path}/a?dryRun=All`, configMap('a', { x: '2' }))).data).toEqual({ x: '2' });
    await server.ok('DELETE', `${path}/a?dryRun=All`);
    await server.ok('DELETE', `${path}?dryRun=All`);
    expect((await server.ok('GET', `${path}/a`)).data).toEqual({ x: '1' });
    expect((await server.send('POST', `${path}?dryRun=Some`, configMap('b'))).code).toBe(422);
  });
});

describe('unknown fields', () => {
  const body = { ...configMap('a'), oops: 1, data: { x: '1' } };
  const duplicate = '{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"b"},"data":{"x":"1","x":"2"}}';

  it('are warned of, refused or ignored, as asked', async () => {
    await using server = await TestServer.start();
    const warned = await server.send('POST', path, body);
    expect(warned).toMatchObject({ code: 201, headers: { warning: ['299 - "unknown field \\"oops\\""'] } });
    const strict = await server.send('POST', `${path}?fieldValidation=Strict`, body);
    expect(strict.code).toBe(400);
    expect(strict.object.message).toContain('strict decoding error: unknown field "oops"');
    const ignored = await server.send('PUT', `${path}/a?fieldValidation=Ignore`, body);
    expect(ignored.code).toBe(200);
    expect(ignored.headers?.warning).toBeUndefined();
    const twice = await server.send('POST', `${path}?fieldValidation=Strict`, duplicate);
    expect(twice.object.message).toContain('duplicate field "data.x"');
  });
});

describe('the status', () => {
  const url = '/apis/apps/v1/namespaces/default/deployments';
  const deployment = {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name: 'd' },
    spec: {
      replicas: 1,
      selector: { matchLabels: { a: 'b' } },
      template: { metadata: { labels: { a: 'b' } }, spec: { containers: [{ name: 'c', image: 'i' }] } },
    },
    status: { replicas: 9 },
  };

  it('is written by its own path alone, and does not count as a new generation', async () => {
    await using server = await TestServer.start();
    const created = await server.ok('POST', url, deployment);
    expect(created.status).toEqual({});
    expect(created.metadata.generation).toBe(1);
    const changed: AnyObject = { ...created, spec: { ...created.spec, replicas: 5 }, status: { replicas: 3 } };
    const viaStatus = await server.ok('PUT', `${url}/d/status`, changed);
    expect(viaStatus).toMatchObject({ spec: { replicas: 1 }, status: { replicas: 3 }, metadata: { generation: 1 } });
    const viaObject = await server.ok('PUT', `${url}/d`, {
      ...changed,
      metadata: { ...changed.metadata, resourceVersion: viaStatus.metadata.resourceVersion },
      status: {},
    });
    expect(viaObject).toMatchObject({ spec: { replicas: 5 }, status: { replicas: 3 }, metadata: { generation: 2 } });
  });
});
