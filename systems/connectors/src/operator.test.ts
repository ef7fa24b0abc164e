import { kinds, mergePatch } from '@tektite/client';
import type { RunningSystems } from '@tektite/controller';
import { Informer } from '@tektite/controller/cache';
import { formatApiVersion, isControlledBy, isStatusError } from '@tektite/meta';
import { type ControlPlane, type VirtualClock, virtualClock } from '@tektite/testkit';
import { startSimulatedCluster } from '@tektite/testkit/cluster';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Connector } from './kinds/connector.ts';
import { memoryPayloads } from './payload/memory-payloads.ts';
import {
  application,
  conditionOf,
  connector,
  definition,
  deployment,
  eventually,
  find,
  patchSpec,
  readConnector,
  readManifests,
  startOperator,
  untilReason,
} from './test-support.ts';

const kept = ['CustomResourceDefinition', 'PersistentVolumeClaim'];

describe('the Connectors operator', { timeout: 60_000 }, () => {
  let clock: VirtualClock;
  let plane: ControlPlane;
  let payloads: ReturnType<typeof memoryPayloads>;
  let running: RunningSystems;

  const start = async (version: string) => {
    running = await clock.until(startOperator(plane, { payloads, version, workers: 4 }));
  };
  beforeEach(async () => {
    clock = virtualClock();
    plane = await startSimulatedCluster({ clock });
    payloads = memoryPayloads({ shop: { objects: application, version: 'v7' } });
    await start('v1.0.0');
  });
  afterEach(async () => {
    await clock.until(running.stop());
    await plane.close();
  });
  const create = (name = 'shop', spec: object = {}, namespace?: string) =>
    clock.until(plane.client.create(Connector, connector(name, spec, namespace)));
  const uninstalled = () =>
    eventually(
      clock,
      async () => (await plane.client.list(Connector)).items.length + (await readManifests(plane.client)).length,
      (count) => count === 0,
    );

  it('installs an application into the namespace of the Connector, and says so', async () => {
    await create();
    const ready = await untilReason(clock, plane.client, 'shop', 'Ready');
    expect(ready.status).toMatchObject({ connectorVersion: 'v7', releaseVersion: 'v1.0.0', observedGeneration: 1 });
    expect(ready.status?.installManifests?.map(({ type, ready: is }) => [type, is])).toEqual([
      ['static', true],
      ['deployment', true],
    ]);
    const manifests = await readManifests(plane.client);
    expect(manifests).toHaveLength(2);
    for (const object of application.slice(1)) {
      const live = await find(plane.client, object);
      expect(live?.metadata.labels).toMatchObject({
        'cpaas.io/managed-by': 'connectors-operator',
        'cpaas.io/connector-name': 'shop',
        'cpaas.io/connector-namespace': 'default',
      });
      const owned = manifests.some((manifest) => live && isControlledBy(live, manifest));
      expect(`${object.kind} ${owned}`).toBe(`${object.kind} ${!kept.includes(object.kind)}`);
    }
  });

  it('leaves edits of users where they are welcome, and takes back those that are not', async () => {
    await create();
    await untilReason(clock, plane.client, 'shop', 'Ready');
    const { client } = plane;
    const map = { namespace: 'default', name: 'settings' };
    const web = { namespace: 'default', name: 'web' };
    await clock.until(client.patch(kinds.ConfigMap, map, mergePatch({ data: { a: 'mine' } })));
    await clock.until(client.patch(kinds.Deployment, web, mergePatch({ spec: { replicas: 5 } })));
    await eventually(
      clock,
      () => client.get(kinds.Deployment, web),
      ({ spec }) => spec?.replicas === 1,
    );
    await clock.advance(60_000);
    expect((await client.get(kinds.ConfigMap, map)).data).toEqual({ a: 'mine' });
    const autoscaler = {
      apiVersion: 'autoscaling/v2',
      kind: 'HorizontalPodAutoscaler',
      metadata: { namespace: 'default', name: 'web' },
      spec: {
        scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web' },
        minReplicas: 3,
        maxReplicas: 9,
      },
    };
    await clock.until(client.create(autoscaler));
    await clock.until(client.patch(kinds.Deployment, web, mergePatch({ spec: { replicas: 5 } })));
    await clock.advance(60_000);
    expect((await client.get(kinds.Deployment, web)).spec?.replicas).not.toBe(1);
  });

  it('recreates deleted objects of any kind, and reports it', async () => {
    const { client } = plane;
    await create();
    await untilReason(clock, client, 'shop', 'Ready');
    for (const { inventory = [] } of (await readManifests(client)).map(({ status }) => status ?? {}))
      for (const { group, version, kind, namespace, name } of inventory) {
        const reference = { apiVersion: formatApiVersion({ group, version }), kind };
        const key = { name, ...(namespace ? { namespace } : {}) };
        const before = await clock.until(client.get(reference, key));
        await clock.until(client.delete(reference, key));
        await eventually(
          clock,
          () => client.getOrUndefined(reference, key),
          (found) => found !== undefined && found.metadata.uid !== before.metadata.uid,
        );
      }
    await eventually(
      clock,
      async () => (await client.list(kinds.Event)).items.map(({ reason, message }) => `${reason}: ${message}`),
      (events) => events.includes('ObjectRecreated: ConfigMap default/settings was deleted; it is recreated'),
    );
    await untilReason(clock, client, 'shop', 'Ready');
  });

  it('changes objects in place when the Connector changes, and no selector', async () => {
    await create();
    await untilReason(clock, plane.client, 'shop', 'Ready');
    const before = await readManifests(plane.client);
    const web = await find(plane.client, deployment('web'));
    await clock.until(patchSpec(plane.client, 'shop', { labels: { team: 'red' } }));
    const ready = await untilReason(clock, plane.client, 'shop', 'Ready');
    const after = await readManifests(plane.client);
    expect(after.map(({ metadata }) => metadata.uid)).toEqual(before.map(({ metadata }) => metadata.uid));
    const hash = ({ metadata }: (typeof after)[number]) => metadata.annotations?.['cpaas.io/last-applied-hash'];
    after.forEach((manifest, index) => expect(hash(manifest)).not.toBe(hash(before[index] as typeof manifest)));
    const changed = await find(plane.client, deployment('web'));
    expect(changed?.metadata).toMatchObject({ uid: web?.metadata.uid, labels: { team: 'red' } });
    expect(changed?.spec).toMatchObject({
      selector: { matchLabels: { app: 'web' } },
      template: { metadata: { labels: { app: 'web', team: 'red' } } },
    });
    expect(ready.status?.observedGeneration).toBe(2);
  });

  it('recreates a workload whose selector changes', async () => {
    await create();
    await untilReason(clock, plane.client, 'shop', 'Ready');
    const before = await find(plane.client, deployment('web'));
    const matchLabels = { app: 'web', tier: 'front' };
    const template = { metadata: { labels: { tier: 'front' } } };
    const workloads = [{ name: 'web', selector: { matchLabels }, template }];
    await clock.until(patchSpec(plane.client, 'shop', { workloads }));
    await untilReason(clock, plane.client, 'shop', 'Ready');
    const after = await find(plane.client, deployment('web'));
    expect(after?.metadata.uid).not.toBe(before?.metadata.uid);
    expect(after?.spec).toMatchObject({ selector: { matchLabels } });
  });

  it('deletes what left the payload', async () => {
    await create();
    await untilReason(clock, plane.client, 'shop', 'Ready');
    payloads.put('shop', { version: 'v8', objects: application.filter(({ kind }) => kind !== 'ConfigMap') });
    const map = { namespace: 'default', name: 'settings' };
    await eventually(
      clock,
      () => plane.client.get(kinds.ConfigMap, map).catch(() => undefined),
      (found) => found === undefined,
    );
    await eventually(
      clock,
      () => readConnector(plane.client, 'shop'),
      ({ status }) => status?.connectorVersion === 'v8',
    );
  });

  it('recreates everything for another version of the operator, except objects with data', async () => {
    await create();
    await untilReason(clock, plane.client, 'shop', 'Ready');
    const uids = async () =>
      new Map(
        await Promise.all(
          application
            .slice(1)
            .map(async (each) => [each.kind, (await find(plane.client, each))?.metadata.uid] as const),
        ),
      );
    const claim = async () =>
      (await plane.client.get(kinds.PersistentVolumeClaim, { namespace: 'default', name: 'data-db-0' })).metadata.uid;
    const [before, data] = [await uids(), await claim()];
    await clock.until(running.stop());
    const reasons = new Set<string | undefined>();
    await using states = new Informer(plane.client, Connector);
    states.addHandler({ modified: (object) => void reasons.add(conditionOf(object as never)?.reason) });
    await states.start().synced();
    await start('v2.0.0');
    const ready = await eventually(
      clock,
      () => readConnector(plane.client, 'shop'),
      ({ status }) => status?.releaseVersion === 'v2.0.0',
      60,
    );
    expect([...reasons]).toContain('Upgrading');
    expect(ready.status?.conditions?.find(({ type }) => type === 'Ready')).toMatchObject({ status: 'True' });
    const after = await uids();
    for (const [kind, uid] of before)
      expect(`${kind} ${after.get(kind) === uid}`).toBe(`${kind} ${kept.includes(kind)}`);
    expect(await claim()).toBe(data);
  });

  it('removes all it made when the Connector goes, though the payload is broken, and keeps what has data in it', async () => {
    await create();
    await untilReason(clock, plane.client, 'shop', 'Ready');
    payloads.put('shop', undefined);
    await clock.until(plane.client.delete(Connector, { namespace: 'default', name: 'shop' }));
    await uninstalled();
    for (const object of application.slice(1))
      expect(`${object.kind} ${(await find(plane.client, object)) !== undefined}`).toBe(
        `${object.kind} ${kept.includes(object.kind)}`,
      );
    payloads.put('shop', { objects: application });
    await create();
    await untilReason(clock, plane.client, 'shop', 'Ready');
  });

  it('goes with its namespace', async () => {
    await clock.until(plane.client.create(kinds.Namespace, { metadata: { name: 'team' } }));
    await create('shop', {}, 'team');
    await untilReason(clock, plane.client, 'shop', 'Ready', 'team');
    await clock.until(plane.client.delete(kinds.Namespace, { name: 'team' }));
    await uninstalled();
    const gone = await eventually(
      clock,
      () =>
        plane.client.get(kinds.Namespace, { name: 'team' }).catch((error: unknown) => isStatusError(error, 'NotFound')),
      (found) => found === true,
    );
    expect(gone).toBe(true);
  });

  it('installs one application several times, side by side, where it has nothing outside of its namespace', async () => {
    payloads.put('plain', { objects: [deployment('web')] });
    for (const namespace of ['one', 'two'])
      await clock.until(plane.client.create(kinds.Namespace, { metadata: { name: namespace } }));
    await create('plain', {}, 'one');
    await create('plain', {}, 'two');
    await create('other', { component: 'plain', workloads: [{ name: 'web', replicas: 2 }] }, 'default');
    await untilReason(clock, plane.client, 'plain', 'Ready', 'one');
    await untilReason(clock, plane.client, 'plain', 'Ready', 'two');
    await untilReason(clock, plane.client, 'other', 'Ready');
    expect((await plane.client.list(kinds.Deployment)).items.map(({ spec }) => spec?.replicas)).toEqual([2, 1, 1]);
  });

  it('shares a definition between Connectors of one payload, which the other keeps when one goes', async () => {
    payloads.put('kind', { objects: [definition('shops', 'Shop'), deployment('web')], version: 'v1' });
    await clock.until(plane.client.create(kinds.Namespace, { metadata: { name: 'two' } }));
    await create('kind', { component: 'kind' });
    await untilReason(clock, plane.client, 'kind', 'Ready');
    const key = { name: 'shops.example.com' };
    const read = () => plane.client.get(kinds.CustomResourceDefinition, key);
    const before = await read();
    await create('kind', { component: 'kind' }, 'two');
    await untilReason(clock, plane.client, 'kind', 'Ready', 'two');
    await clock.advance(120_000);
    expect((await read()).metadata.resourceVersion).toBe(before.metadata.resourceVersion);

    // It stays, as all definitions do, and the other one has it from now on.
    await clock.until(plane.client.delete(Connector, { namespace: 'default', name: 'kind' }));
    await eventually(
      clock,
      () => plane.client.list(Connector),
      ({ items }) => items.length === 1,
    );
    expect((await read()).metadata.uid).toBe(before.metadata.uid);
    await clock.until(plane.client.delete(kinds.CustomResourceDefinition, key));
    const again = await eventually(
      clock,
      () => plane.client.getOrUndefined(kinds.CustomResourceDefinition, key),
      (found) => found !== undefined && found.metadata.uid !== before.metadata.uid,
    );
    expect(again?.metadata.labels?.['cpaas.io/connector-namespace']).toBe('two');
    await untilReason(clock, plane.client, 'kind', 'Ready', 'two');

    // Another definition under the same name is still a conflict.
    payloads.put('other', { objects: [definition('shops', 'Market'), deployment('market')], version: 'v1' });
    await create('other', { component: 'other' });
    await untilReason(clock, plane.client, 'other', 'OwnershipConflict');
    expect((await read()).spec.names.kind).toBe('Shop');
  });

  it('never takes from another Connector what it has outside of its namespace', async () => {
    await clock.until(plane.client.create(kinds.Namespace, { metadata: { name: 'two' } }));
    await create();
    await untilReason(clock, plane.client, 'shop', 'Ready');
    const before = await Promise.all(application.slice(1, 3).map((object) => find(plane.client, object)));
    await create('shop', {}, 'two');
    const second = await untilReason(clock, plane.client, 'shop', 'OwnershipConflict', 'two');
    expect(second.status?.conditions?.find(({ type }) => type === 'Ready')?.message).toMatch(
      /^shop-[0-9a-f]{8}-static: ClusterRole shop-reader is controlled by InstallManifest shop-[0-9a-f]{8}-static$/,
    );
    await clock.advance(120_000);
    const after = await Promise.all(application.slice(1, 3).map((object) => find(plane.client, object)));
    expect(after.map((each) => each?.metadata.resourceVersion)).toEqual(
      before.map((each) => each?.metadata.resourceVersion),
    );
    await untilReason(clock, plane.client, 'shop', 'Ready');
    await clock.until(plane.client.delete(Connector, { namespace: 'default', name: 'shop' }));
    await untilReason(clock, plane.client, 'shop', 'Ready', 'two');
  });

  it('adopts no existing object without the label that allows it', async () => {
    payloads.put('map', {
      objects: [{ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'mine' }, data: { a: 'theirs' } }],
    });
    const key = { namespace: 'default', name: 'mine' };
    await clock.until(plane.client.create(kinds.ConfigMap, { metadata: key, data: { a: 'mine' } }));
    await create('map');
    const refused = await untilReason(clock, plane.client, 'map', 'OwnershipConflict');
    expect(refused.status?.conditions?.find(({ type }) => type === 'Ready')?.message).toContain(
      'ConfigMap default/mine exists and is not managed by connectors-operator; add label cpaas.io/managed-by=connectors-operator to adopt',
    );
    expect((await plane.client.get(kinds.ConfigMap, key)).data).toEqual({ a: 'mine' });
    const labels = { 'cpaas.io/managed-by': 'connectors-operator' };
    await clock.until(plane.client.patch(kinds.ConfigMap, key, mergePatch({ metadata: { labels } })));
    await untilReason(clock, plane.client, 'map', 'Ready');
    expect((await plane.client.get(kinds.ConfigMap, key)).data).toEqual({ a: 'theirs' });
  });

  it('keeps what is installed while a change cannot be rendered', async () => {
    await create();
    await untilReason(clock, plane.client, 'shop', 'Ready');
    await clock.until(
      patchSpec(plane.client, 'shop', { labels: { team: 'red' }, workloads: [{ name: 'api', replicas: 2 }] }),
    );
    const failed = await untilReason(clock, plane.client, 'shop', 'WorkloadNotFound');
    expect(failed.status?.conditions?.map(({ type, status }) => `${type} ${status}`).sort()).toEqual([
      'InstallSucceeded True',
      'Ready False',
      'TransformersSucceeded False',
      'WorkloadAvailable True',
    ]);
    expect((await find(plane.client, deployment('web')))?.metadata.labels?.['team']).toBeUndefined();
    const map = { namespace: 'default', name: 'settings' };
    await clock.until(plane.client.delete(kinds.ConfigMap, map));
    // The earlier rendering is cached, so that even now it is kept.
    await eventually(
      clock,
      () => plane.client.get(kinds.ConfigMap, map).catch(() => undefined),
      (found) => found !== undefined,
    );
    await clock.until(patchSpec(plane.client, 'shop', { workloads: null }));
    await untilReason(clock, plane.client, 'shop', 'Ready');
  });

  it.each(['Metadata', 'All'])('records %s of objects, and never the values of Secrets', async (manifestType) => {
    await create('shop', { manifestType });
    await untilReason(clock, plane.client, 'shop', 'Ready');
    const manifests = await readManifests(plane.client);
    const records = manifests.flatMap(({ spec }) => spec.manifests);
    expect(records).toHaveLength(application.length - 1);
    expect(JSON.stringify(manifests)).not.toContain('"t":"secret"');
    const web = records.find(({ kind }) => kind === 'Deployment');
    expect('spec' in (web ?? {})).toBe(manifestType === 'All');
    // The other way of recording changes nothing but the record.
    const before = await find(plane.client, deployment('web'));
    await clock.until(patchSpec(plane.client, 'shop', { manifestType: manifestType === 'All' ? 'Metadata' : 'All' }));
    await untilReason(clock, plane.client, 'shop', 'Ready');
    const after = await find(plane.client, deployment('web'));
    expect(after?.metadata.generation).toBe(before?.metadata.generation);
    expect((await readManifests(plane.client)).map(({ metadata }) => metadata.uid)).toEqual(
      manifests.map(({ metadata }) => metadata.uid),
    );
  });

  it('recreates a deleted InstallManifest', async () => {
    await create();
    await untilReason(clock, plane.client, 'shop', 'Ready');
    const [first] = await readManifests(plane.client);
    await clock.until(plane.client.delete(first as NonNullable<typeof first>, { name: first?.metadata.name ?? '' }));
    await eventually(
      clock,
      async () => (await readManifests(plane.client)).find(({ metadata }) => metadata.name === first?.metadata.name),
      (found) => found !== undefined && found.metadata.uid !== first?.metadata.uid,
    );
    await untilReason(clock, plane.client, 'shop', 'Ready');
  });

  it('writes nothing when nothing is different', async () => {
    await create();
    await untilReason(clock, plane.client, 'shop', 'Ready');
    await clock.advance(60_000);
    const state = async () =>
      [await readConnector(plane.client, 'shop'), ...(await readManifests(plane.client))].map(
        ({ metadata }) => metadata.resourceVersion,
      );
    const before = await state();
    await clock.advance(36_000_000);
    expect(await state()).toEqual(before);
  });

  it('records Events, once for each change', async () => {
    await create();
    await untilReason(clock, plane.client, 'shop', 'Ready');
    await clock.advance(60_000);
    const { items } = await plane.client.list(kinds.Event, {
      namespace: 'default',
      fieldSelector: 'involvedObject.kind=Connector',
    });
    const reasons = items.map(({ reason }) => reason);
    expect(reasons).toEqual(expect.arrayContaining(['Rendered', 'Installed']));
    expect(items.filter(({ reason }) => reason === 'Installed').map(({ count }) => count ?? 1)).toEqual([1]);
  });
});
