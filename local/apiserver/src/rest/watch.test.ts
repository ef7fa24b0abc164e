import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { SegmentJournal } from '../storage/journal/segment-journal.ts';
import { RevisionStore } from '../storage/revision-store.ts';
import type { Storage } from '../storage/storage.ts';
import { temporaryFolder } from '../storage/journal/test-support.ts';
import { ManualClock, settle, TestServer, type WatchLog } from '../test-support.ts';

const path = '/api/v1/namespaces/default/configmaps';

const configMap = (name: string, labels: Record<string, string> = {}, data: Record<string, string> = {}) => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name, labels },
  data,
});

async function revisionOf(server: TestServer): Promise<string> {
  return (await server.ok('GET', '/api/v1/configmaps')).metadata.resourceVersion as string;
}

const last = (watch: WatchLog) => watch.events.at(-1)?.object as unknown as { metadata: Record<string, unknown> };

describe('a watch', () => {
  it('from nowhere starts with what there is', async () => {
    await using server = await TestServer.start();
    await server.ok('POST', path, configMap('a'));
    using watch = await server.watch(`${path}?watch=1`);
    expect(watch.lines).toEqual(['ADDED a']);
    await server.ok('POST', path, configMap('b'));
    await server.ok('DELETE', `${path}/a`);
    expect(watch.lines).toEqual(['ADDED a', 'ADDED b', 'DELETED a']);
  });

  it('from a revision brings what happened since', async () => {
    await using server = await TestServer.start();
    const { metadata } = await server.ok('POST', path, configMap('a'));
    await server.ok('PUT', `${path}/a`, configMap('a', {}, { x: '1' }));
    await server.ok('POST', path, configMap('b'));
    using watch = await server.watch(`${path}?watch=1&resourceVersion=${metadata.resourceVersion}`);
    expect(watch.lines).toEqual(['MODIFIED a', 'ADDED b']);
  });

  it('of one object delivers that one alone', async () => {
    await using server = await TestServer.start();
    using watch = await server.watch(`${path}?watch=1&fieldSelector=metadata.name%3Da`);
    using legacy = await server.watch(`/api/v1/watch/namespaces/default/configmaps/a`);
    for (const name of ['a', 'aa', 'b']) await server.ok('POST', path, configMap(name));
    expect(watch.lines).toEqual(['ADDED a']);
    expect(legacy.lines).toEqual(['ADDED a']);
  });

  it('is not what the path of one object gives: that is read, whatever it says about watching', async () => {
    await using server = await TestServer.start();
    await server.ok('POST', path, configMap('a'));
    expect((await server.ok('GET', `${path}/a?watch=1`)).kind).toBe('ConfigMap');
  });

  it('shows what enters and leaves a selection as added and deleted', async () => {
    await using server = await TestServer.start();
    using watch = await server.watch(`${path}?watch=1&labelSelector=tier%3Dweb`);
    const write = (labels: Record<string, string>, data = {}) =>
      server.ok('PUT', `${path}/a`, configMap('a', labels, data));
    await server.ok('POST', path, configMap('a'));
    await write({ tier: 'web' });
    await write({ tier: 'web' }, { x: '1' });
    const { metadata } = await write({ tier: 'db' });
    await write({ tier: 'db' }, { x: '2' });
    await write({ tier: 'web' });
    await server.ok('DELETE', `${path}/a`);
    expect(watch.lines).toEqual(['ADDED a', 'MODIFIED a', 'DELETED a', 'ADDED a', 'DELETED a']);
    // An object that leaves the selection is shown with its last selected state, at the revision at which it left.
    expect(watch.events[2]?.object).toMatchObject({
      metadata: { labels: { tier: 'web' }, resourceVersion: metadata.resourceVersion },
      data: { x: '1' },
    });
  });

  it('by a field follows that field', async () => {
    await using server = await TestServer.start({ disabledAdmissionPlugins: ['ServiceAccount'] });
    const pods = '/api/v1/namespaces/default/pods';
    using unbound = await server.watch(`${pods}?watch=1&fieldSelector=spec.nodeName%3D`);
    using bound = await server.watch(`${pods}?watch=1&fieldSelector=spec.nodeName%3Dn1`);
    await server.ok('POST', pods, {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name: 'p' },
      spec: { containers: [{ name: 'c', image: 'i' }] },
    });
    await server.ok('POST', `${pods}/p/binding`, {
      apiVersion: 'v1',
      kind: 'Binding',
      metadata: { name: 'p' },
      target: { kind: 'Node', name: 'n1' },
    });
    expect(unbound.lines).toEqual(['ADDED p', 'DELETED p']);
    expect(bound.lines).toEqual(['ADDED p']);
  });

  it('with sendInitialEvents brings all there is, then a bookmark that says so, then the news', async () => {
    await using server = await TestServer.start();
    await server.ok('POST', path, configMap('a'));
    const revision = await revisionOf(server);
    const options = 'sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true';
    using watch = await server.watch(`${path}?watch=1&${options}`);
    expect(watch.lines).toEqual(['ADDED a', 'BOOKMARK']);
    expect(last(watch)).toEqual({
      kind: 'ConfigMap',
      apiVersion: 'v1',
      metadata: { resourceVersion: revision, annotations: { 'k8s.io/initial-events-end': 'true' } },
    });
    await server.ok('POST', path, configMap('b'));
    expect(watch.lines.slice(2)).toEqual(['ADDED b']);
    using without = await server.watch(
      `${path}?watch=1&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&resourceVersion=${revision}`,
    );
    expect(without.lines).toEqual(['ADDED a', 'ADDED b']);
    using none = await server.watch(`${path}?watch=1&sendInitialEvents=false&resourceVersionMatch=NotOlderThan`);
    expect(none.lines).toEqual([]);
  });

  it('with sendInitialEvents of a future revision ends with an error instead of an older snapshot', async () => {
    await using server = await TestServer.start();
    using watch = await server.watch(
      `${path}?watch=1&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&resourceVersion=99999`,
    );
    expect(watch.lines).toEqual(['ERROR 504']);
    expect(watch.events[0]?.object).toMatchObject({
      reason: 'Timeout',
      details: { causes: [{ reason: 'ResourceVersionTooLarge' }] },
    });
    expect(watch.ended).toBe(true);
  });

  it('from the future waits for it', async () => {
    await using server = await TestServer.start();
    const revision = Number(await revisionOf(server));
    using watch = await server.watch(`${path}?watch=1&resourceVersion=${revision + 2}`);
    for (const name of ['a', 'b', 'c']) await server.ok('POST', path, configMap(name));
    expect(watch.lines).toEqual(['ADDED c']);
  });

  it('from a revision that is forgotten gets one error, 410, and its end', async () => {
    await using server = await TestServer.start();
    const { metadata } = await server.ok('POST', path, configMap('a'));
    await server.ok('POST', path, configMap('b'));
    await server.ok('POST', '/tektite/compact');
    using watch = await server.watch(`${path}?watch=1&resourceVersion=${metadata.resourceVersion}`);
    expect(watch.lines).toEqual(['ERROR 410']);
    expect(watch.events[0]?.object).toMatchObject({
      kind: 'Status',
      status: 'Failure',
      reason: 'Expired',
      message: expect.stringContaining(`too old resource version: ${metadata.resourceVersion}`),
    });
    expect(watch.ended).toBe(true);
  });

  it('ends after the time it asked for, and leaves no timer behind', async () => {
    const clock = new ManualClock();
    await using server = await TestServer.start({ clock });
    const idle = clock.pending;
    using watch = await server.watch(`${path}?watch=1&timeoutSeconds=10&allowWatchBookmarks=true`);
    clock.advance(9);
    expect(watch.ended).toBe(false);
    clock.advance(1);
    expect(watch.ended).toBe(true);
    await server.ok('POST', path, configMap('late'));
    expect(watch.lines).toEqual(['BOOKMARK']);
    expect(clock.pending).toBe(idle);
  });

  it('that names no time ends some day too', async () => {
    const clock = new ManualClock();
    await using server = await TestServer.start({ clock });
    using watch = await server.watch(`${path}?watch=1`);
    clock.advance(1799);
    expect(watch.ended).toBe(false);
    clock.advance(1801);
    expect(watch.ended).toBe(true);
  });

  it('leaves no timer and no subscription behind when the reader goes', async () => {
    const clock = new ManualClock();
    await using server = await TestServer.start({ clock });
    const idle = clock.pending;
    const watch = await server.watch(`${path}?watch=1&allowWatchBookmarks=true`);
    watch[Symbol.dispose]();
    await server.ok('POST', path, configMap('a'));
    clock.advance(100_000);
    expect(watch.lines).toEqual(['BOOKMARK']);
    expect(watch.ended).toBe(false);
    expect(clock.pending).toBe(idle);
  });

  it('that asks for bookmarks gets one when it has seen all there is, and learns now and then that the world went on', async () => {
    const clock = new ManualClock();
    await using server = await TestServer.start({ clock });
    using watch = await server.watch(`${path}?watch=1&allowWatchBookmarks=true`);
    expect(last(watch).metadata.annotations).toEqual({ 'k8s.io/initial-events-end': 'true' });
    using other = await server.watch(`${path}?watch=1`);
    await server.ok('POST', '/api/v1/namespaces/default/secrets', {
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { name: 's' },
    });
    clock.advance(60);
    expect(watch.lines).toEqual(['BOOKMARK', 'BOOKMARK']);
    expect(last(watch).metadata).toEqual({ resourceVersion: await revisionOf(server) });
    clock.advance(60);
    expect(watch.lines).toEqual(['BOOKMARK', 'BOOKMARK', 'BOOKMARK']);
    expect(other.lines).toEqual([]);
  });

  it.each([
    ['resourceVersion=x', 500, /strconv.ParseUint/],
    ['sendInitialEvents=true', 422, /resourceVersionMatch: Forbidden: sendInitialEvents requires/],
    ['resourceVersionMatch=Exact&resourceVersion=1', 422, /resourceVersionMatch is forbidden for watch/],
    ['labelSelector=((', 400, /unable to parse requirement|found/],
    ['fieldSelector=spec.x%3D1', 400, /field/],
    ['timeoutSeconds=soon', 400, /strconv.ParseInt/],
  ])('that makes no sense is refused before it starts: %s', async (query, code, message) => {
    await using server = await TestServer.start();
    const answer = await server.send('GET', `${path}?watch=1&${query}`);
    expect(answer.code).toBe(code);
    expect(answer.object.message).toMatch(message);
  });

  it('as a table sends the columns once', async () => {
    await using server = await TestServer.start();
    const headers = { accept: 'application/json;as=Table;v=v1;g=meta.k8s.io' };
    using watch = await server.watch(`${path}?watch=1`, { headers });
    await server.ok('POST', path, configMap('a'));
    await server.ok('POST', path, configMap('b'));
    const tables = watch.events.map(({ object }) => object as unknown as Record<string, unknown>);
    expect(tables.map(({ kind }) => kind)).toEqual(['Table', 'Table']);
    expect(tables[0]?.columnDefinitions).not.toBeNull();
    expect(tables[1]?.columnDefinitions).toBeNull();
  });
});

describe('watchers of custom resources', () => {
  const crd = (webhookUrl?: string) => ({
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: 'widgets.example.com' },
    spec: {
      group: 'example.com',
      scope: 'Namespaced',
      names: { plural: 'widgets', kind: 'Widget' },
      ...(webhookUrl
        ? {
            conversion: {
              strategy: 'Webhook',
              webhook: { clientConfig: { url: webhookUrl }, conversionReviewVersions: ['v1'] },
            },
          }
        : {}),
      versions: ['v1', 'v2'].map((name) => ({
        name,
        served: true,
        storage: name === 'v1',
        schema: { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } },
      })),
    },
  });

  const widgets = (version: string) => `/apis/example.com/${version}/namespaces/default/widgets`;
  const widget = (name: string) => ({ apiVersion: 'example.com/v1', kind: 'Widget', metadata: { name } });

  it('see each in the version they asked for', async () => {
    await using server = await TestServer.start();
    await server.ok('POST', '/apis/apiextensions.k8s.io/v1/customresourcedefinitions', crd());
    await settle();
    using first = await server.watch(`${widgets('v1')}?watch=1`);
    using second = await server.watch(`${widgets('v2')}?watch=1`);
    await server.ok('POST', widgets('v1'), widget('w'));
    expect(first.events.map(({ object }) => object.apiVersion)).toEqual(['example.com/v1']);
    expect(second.events.map(({ object }) => object.apiVersion)).toEqual(['example.com/v2']);
  });

  it('get an error and their end when a conversion webhook does not answer; nothing else is disturbed', async () => {
    await using server = await TestServer.start();
    const definition = crd('https://127.0.0.1:1/convert');
    await server.ok('POST', '/apis/apiextensions.k8s.io/v1/customresourcedefinitions', definition);
    await settle();
    using stored = await server.watch(`${widgets('v1')}?watch=1`);
    using converted = await server.watch(`${widgets('v2')}?watch=1`);
    for (const name of ['a', 'b', 'c']) await server.ok('POST', widgets('v1'), widget(name));
    await expect.poll(() => converted.ended).toBe(true);
    expect(converted.lines).toEqual(['ERROR 500']);
    expect(stored.lines).toEqual(['ADDED a', 'ADDED b', 'ADDED c']);
    await server.ok('DELETE', `${widgets('v1')}/a`);
    expect(stored.lines.at(-1)).toBe('DELETED a');
  });
});

describe('watchers under churn', () => {
  const names = ['a', 'b', 'c'];
  const labels = fc.constantFrom({}, { tier: 'web' }, { tier: 'db' }, { tier: 'web', extra: 'x' });
  const action = fc.oneof(
    {
      weight: 8,
      arbitrary: fc.record({
        do: fc.constantFrom('create', 'update', 'delete', 'patch', 'apply'),
        name: fc.constantFrom(...names),
        namespace: fc.constantFrom('default', 'kube-system'),
        labels,
      }),
    },
    { weight: 2, arbitrary: fc.record({ do: fc.constant('watch'), at: fc.double({ min: 0, max: 1, noNaN: true }) }) },
    { weight: 1, arbitrary: fc.record({ do: fc.constant('compact') }) },
    { weight: 3, arbitrary: fc.record({ do: fc.constant('wait') }) },
  );
  const selections = ['', 'labelSelector=tier%3Dweb', 'labelSelector=tier', 'fieldSelector=metadata.name%3Da'];

  /** Several clients write without waiting for each other; every watcher must hold what a list shows in the end. */
  async function churn(actions: readonly { do: string; [field: string]: unknown }[], storage: Storage): Promise<void> {
    await using server = await TestServer.start({ storage });
    const watches: { readonly query: string; readonly log: WatchLog }[] = [];
    for (const query of selections) {
      const log = await server.watch(`/api/v1/configmaps?watch=1&${query}`);
      watches.push({ query, log });
    }
    const first = server.server.storage.revision;
    const resumed: { readonly from: number; readonly log: WatchLog }[] = [];
    let outstanding: Promise<unknown>[] = [];
    let mark = 0;
    for (const step of actions) {
      if (step.do === 'wait') {
        await Promise.all(outstanding);
        outstanding = [];
      } else if (step.do === 'compact') await server.send('POST', '/tektite/compact');
      else if (step.do === 'watch') {
        const { storage } = server.server;
        const oldest = Math.max(first, storage.compactedRevision);
        const from = oldest + Math.floor((step.at as number) * (storage.revision - oldest));
        resumed.push({ from, log: await server.watch(`/api/v1/configmaps?watch=1&resourceVersion=${from}`) });
      } else outstanding.push(write(server, step as unknown as Write, String(mark++)));
    }
    await Promise.all(outstanding);

    const everything = watches[0]?.log as WatchLog;
    for (const { query, log } of watches) {
      const list = await server.ok('GET', `/api/v1/configmaps?${query}`);
      const expected = (list.items ?? []).map(
        ({ metadata }) => [`${metadata.namespace}/${metadata.name}`, metadata.resourceVersion as string] as const,
      );
      expect(log.state).toEqual(new Map(expected));
      const revisions = revisionsOf(log);
      expect(revisions).toEqual([...new Set(revisions)].sort((x, y) => x - y));
      log[Symbol.dispose]();
    }
    for (const { from, log } of resumed) {
      expect(revisionsOf(log)).toEqual(revisionsOf(everything).filter((revision) => revision > from));
      log[Symbol.dispose]();
    }
  }

  function revisionsOf(log: WatchLog): number[] {
    return log.events.map(({ object }) => Number(object.metadata?.resourceVersion));
  }

  interface Write {
    readonly do: string;
    readonly name: string;
    readonly namespace: string;
    readonly labels: Record<string, string>;
  }

  function write(server: TestServer, step: Write, mark: string): Promise<unknown> {
    const all = `/api/v1/namespaces/${step.namespace}/configmaps`;
    const one = `${all}/${step.name}`;
    const body = configMap(step.name, step.labels, { mark });
    switch (step.do) {
      case 'create':
        return server.send('POST', all, body);
      case 'update':
        return server.send('PUT', one, body);
      case 'delete':
        return server.send('DELETE', one);
      case 'patch':
        return server.send(
          'PATCH',
          one,
          { metadata: { labels: { tier: step.labels.tier ?? null } } },
          { headers: { 'content-type': 'application/merge-patch+json' } },
        );
      default:
        return server.send('PATCH', `${one}?fieldManager=m&force=true`, body, {
          headers: { 'content-type': 'application/apply-patch+yaml' },
        });
    }
  }

  const actions = fc.array(action, { maxLength: 60, size: 'max' });

  it('replay to exactly what a list shows, whatever was written by whom and when', async () => {
    await fc.assert(
      fc.asyncProperty(actions, (steps) => churn(steps, new RevisionStore())),
      { numRuns: 40 },
    );
  }, 60_000);

  it('do so with a durable storage, where writes overlap', async () => {
    await using folder = await temporaryFolder();
    let run = 0;
    await fc.assert(
      fc.asyncProperty(actions, async (steps) => {
        const journal = await SegmentJournal.open(join(folder.path, String(run++)));
        await churn(steps, new RevisionStore({ journal }));
      }),
      { numRuns: 15 },
    );
  }, 60_000);
});
