import { describe, expect, it } from 'vitest';
import { ManualClock, TestServer } from '../test-support.ts';

const path = '/api/v1/namespaces/default/configmaps';
const pods = '/api/v1/namespaces/default/pods';
const configMap = (name: string, metadata: object = {}) => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name, ...metadata },
});
const merge = { headers: { 'content-type': 'application/merge-patch+json' } };

async function pod(server: TestServer, name: string, node?: string) {
  await server.ok('POST', pods, {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name },
    spec: { terminationGracePeriodSeconds: 20, containers: [{ name: 'c', image: 'i' }] },
  });
  if (node)
    await server.ok('POST', `${pods}/${name}/binding`, {
      apiVersion: 'v1',
      kind: 'Binding',
      metadata: { name },
      target: { kind: 'Node', name: node },
    });
}

describe('a delete', () => {
  it('removes what nothing holds, and answers with a Status', async () => {
    await using server = await TestServer.start();
    const { metadata } = await server.ok('POST', path, configMap('a'));
    const answer = await server.send('DELETE', `${path}/a`);
    expect(answer).toMatchObject({
      code: 200,
      object: { kind: 'Status', status: 'Success', details: { name: 'a', kind: 'configmaps', uid: metadata.uid } },
    });
    expect((await server.send('DELETE', `${path}/a`)).code).toBe(404);
  });

  it('waits for finalizers, and the object goes with the last of them', async () => {
    const clock = new ManualClock('2026-03-01T12:00:00Z');
    await using server = await TestServer.start({ clock });
    using watch = await server.watch(`${path}?watch=1`);
    await server.ok('POST', path, configMap('a', { finalizers: ['example.com/one', 'example.com/two'] }));
    const marked = await server.ok('DELETE', `${path}/a`);
    expect(marked.metadata).toMatchObject({ deletionTimestamp: '2026-03-01T12:00:00Z', deletionGracePeriodSeconds: 0 });
    clock.advance(60);
    expect(await server.ok('DELETE', `${path}/a`)).toEqual(marked);
    const taken = await server.send('POST', path, configMap('a'));
    expect(taken.object.message).toBe('object is being deleted: configmaps "a" already exists');
    const added = await server.send(
      'PATCH',
      `${path}/a`,
      { metadata: { finalizers: ['example.com/one', 'example.com/new'] } },
      merge,
    );
    expect(added.code).toBe(422);
    await server.ok('PATCH', `${path}/a`, { metadata: { finalizers: ['example.com/two'] } }, merge);
    await server.ok('PATCH', `${path}/a`, { metadata: { finalizers: null } }, merge);
    expect((await server.send('GET', `${path}/a`)).code).toBe(404);
    expect(watch.lines).toEqual(['ADDED a', 'MODIFIED a', 'MODIFIED a', 'DELETED a']);
  });

  it('asks for what was seen, when it says what that was', async () => {
    await using server = await TestServer.start();
    const { metadata } = await server.ok('POST', path, configMap('a'));
    const remove = (preconditions: object) => server.send('DELETE', `${path}/a`, { preconditions });
    expect((await remove({ uid: 'other' })).code).toBe(409);
    expect((await remove({ resourceVersion: '1' })).code).toBe(409);
    expect((await remove({ uid: metadata.uid, resourceVersion: metadata.resourceVersion })).code).toBe(200);
  });

  it.each([
    ['Foreground', ['foregroundDeletion']],
    ['Orphan', ['orphan']],
  ])('with policy %s leaves the object to whoever collects garbage', async (propagationPolicy, finalizers) => {
    await using server = await TestServer.start();
    await server.ok('POST', path, configMap('a'));
    const marked = await server.ok('DELETE', `${path}/a?propagationPolicy=${propagationPolicy}`);
    expect(marked.metadata.finalizers).toEqual(finalizers);
    expect(marked.metadata.deletionTimestamp).toBeDefined();
    await server.ok('DELETE', `${path}/a?propagationPolicy=Background`);
    expect((await server.send('GET', `${path}/a`)).code).toBe(404);
  });

  it('refuses options that make no sense', async () => {
    await using server = await TestServer.start();
    await server.ok('POST', path, configMap('a'));
    for (const [query, code] of [
      ['propagationPolicy=Sometimes', 422],
      ['propagationPolicy=Orphan&orphanDependents=true', 422],
      ['dryRun=Maybe', 422],
      ['gracePeriodSeconds=soon', 400],
    ] as const)
      expect((await server.send('DELETE', `${path}/a?${query}`)).code, query).toBe(code);
    for (const body of [
      '[]',
      '"x"',
      '{"gracePeriodSeconds":"1"}',
      '{"kind":"Pod","apiVersion":"v1"}',
      '{"dryRun":"All"}',
      '{"preconditions":[]}',
      '{',
    ])
      expect((await server.send('DELETE', `${path}/a`, body)).code, body).toBe(400);
    await server.ok('GET', `${path}/a`);
  });

  it('gives a Pod on a node its grace period, which can be shortened but not lengthened', async () => {
    const clock = new ManualClock('2026-03-01T12:00:00Z');
    await using server = await TestServer.start({ clock, disabledAdmissionPlugins: ['ServiceAccount'] });
    await pod(server, 'p', 'n1');
    const first = await server.ok('DELETE', `${pods}/p`);
    expect(first.metadata).toMatchObject({ deletionGracePeriodSeconds: 20, deletionTimestamp: '2026-03-01T12:00:20Z' });
    clock.advance(2);
    const longer = await server.ok('DELETE', `${pods}/p?gracePeriodSeconds=60`);
    expect(longer.metadata.deletionTimestamp).toBe('2026-03-01T12:00:20Z');
    const shorter = await server.ok('DELETE', `${pods}/p?gracePeriodSeconds=5`);
    expect(shorter.metadata).toMatchObject({
      deletionGracePeriodSeconds: 5,
      deletionTimestamp: '2026-03-01T12:00:05Z',
    });
    await server.ok('DELETE', `${pods}/p?gracePeriodSeconds=0`);
    expect((await server.send('GET', `${pods}/p`)).code).toBe(404);
  });

  it('takes a Pod that no node has at once', async () => {
    await using server = await TestServer.start({ disabledAdmissionPlugins: ['ServiceAccount'] });
    await pod(server, 'p');
    await server.ok('DELETE', `${pods}/p`);
    expect((await server.send('GET', `${pods}/p`)).code).toBe(404);
  });

  it('of a namespace stops new objects in it, and waits for its own finalizer', async () => {
    await using server = await TestServer.start();
    await server.ok('POST', '/api/v1/namespaces', { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'team' } });
    const marked = await server.ok('DELETE', '/api/v1/namespaces/team');
    expect(marked.status?.phase).toBe('Terminating');
    const refused = await server.send('POST', '/api/v1/namespaces/team/configmaps', configMap('a'));
    expect(refused.code).toBe(403);
    expect(refused.object.message).toContain('because it is being terminated');
    await server.ok('PUT', '/api/v1/namespaces/team/finalize', { ...marked, spec: { finalizers: [] } });
    expect((await server.send('GET', '/api/v1/namespaces/team')).code).toBe(404);
  });

  it('of many takes those that are selected', async () => {
    await using server = await TestServer.start();
    for (const [name, app] of [
      ['a', 'x'],
      ['b', 'y'],
      ['c', 'x'],
    ] as const)
      await server.ok('POST', path, configMap(name, { labels: { app } }));
    const gone = await server.ok('DELETE', `${path}?labelSelector=app%3Dx`);
    expect(gone.items?.map(({ metadata }) => metadata.name)).toEqual(['a', 'c']);
    expect((await server.ok('GET', path)).items?.map(({ metadata }) => metadata.name)).toEqual(['b']);
  });

  it('by two at once is done once', async () => {
    await using server = await TestServer.start();
    await server.ok('POST', path, configMap('a'));
    const codes = (await Promise.all(Array.from({ length: 5 }, () => server.send('DELETE', `${path}/a`)))).map(
      ({ code }) => code,
    );
    expect(codes.filter((code) => code === 200).length).toBeGreaterThanOrEqual(1);
    expect(codes.every((code) => code === 200 || code === 404)).toBe(true);
    expect((await server.send('GET', `${path}/a`)).code).toBe(404);
  });
});
