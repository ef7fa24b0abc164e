import assert from 'node:assert/strict';
import { type Client, kinds } from '@tektite/client';
import { installKinds, Manager } from '@tektite/controller';
import { type DynamicObject, isConditionTrue, sleep } from '@tektite/meta';
import type { Scenario, World } from '@tektite/simulator';
import { Connector } from './kinds/connector.ts';
import { InstallManifest } from './kinds/install-manifest.ts';
import { live, managed } from './small-cluster/test-support.ts';
import { memoryPayloads } from './payload/memory-payloads.ts';
import { connectorsSystem } from './system.ts';
import { clusterRole, configMap, connector, definition, deployment, patchSpec, statefulSet } from './test-support.ts';

const namespace = 'default';
const claim: DynamicObject = {
  apiVersion: 'v1',
  kind: 'PersistentVolumeClaim',
  metadata: { name: 'files', namespace: 'payload' },
  spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
};
const before = [
  definition('shops', 'Shop'),
  clusterRole('reader'),
  configMap('old'),
  configMap('both'),
  claim,
  deployment('web'),
  statefulSet('db'),
];
const after = [
  definition('shops', 'Shop'),
  clusterRole('reader', ['get', 'list']),
  configMap('both', { a: '2' }),
  configMap('new'),
  claim,
  deployment('web', { image: 'web:2' }),
  statefulSet('db'),
];
const kept = ['PersistentVolumeClaim', 'CustomResourceDefinition'];

/** Has the cluster live on, for as long as something happens. */
async function liveOn({ client, clock }: World, everyMs: number): Promise<void> {
  let seen: string | undefined;
  for (let pause = everyMs; ; ) {
    await sleep(clock, pause);
    const { metadata } = await client.list(InstallManifest);
    // Where nothing happens there is nothing to do.
    const still = metadata?.resourceVersion === seen;
    pause = still ? Math.min(pause * 2, 300_000) : everyMs;
    seen = metadata?.resourceVersion;
    if (!still) await live(client);
  }
}

export type Course = 'install' | 'change' | 'upgrade' | 'uninstall';

/** The operator, and a user who does one thing while everything may go wrong. */
export function connectorScenario(course: Course): Scenario {
  const payloads = memoryPayloads({ shop: { objects: before } });
  let version = 'v1';
  let uids = new Map<string, string>();
  const run = (client: Client) => {
    const manager = new Manager(client, { name: 'connectors', graceMs: 0 });
    for (const controller of connectorsSystem({ payloads, version }).controllers) manager.add(controller);
    manager.start();
    return manager;
  };
  const key = { namespace, name: 'shop' };
  return {
    async prepare(world) {
      const { client, clock } = world;
      payloads.put('shop', { objects: before });
      version = 'v1';
      await installKinds(client, [Connector, InstallManifest]);
      liveOn(world, 3_000).catch(() => undefined);
      if (course === 'install') return;
      const manager = run(client);
      await client.create(Connector, connector('shop'));
      while (!isConditionTrue((await client.get(Connector, key)).status?.conditions, 'Ready'))
        await sleep(clock, 1_000);
      await sleep(clock, 30_000);
      await manager.stop();
      uids = new Map(
        (await managed(client)).map(({ kind, metadata }) => [`${kind} ${metadata.name}`, metadata.uid ?? '']),
      );
      if (course !== 'upgrade') return;
      version = 'v2';
      payloads.put('shop', { objects: after });
    },
    async start(client) {
      run(client);
    },
    async act({ client, random, sleep: wait }) {
      await wait(random.next() * 20_000);
      if (course === 'install') await client.create(Connector, connector('shop'));
      if (course === 'uninstall') await client.delete(Connector, key);
      if (course !== 'change') return;
      await patchSpec(client, 'shop', { labels: { team: 'red' } });
      await wait(random.next() * 20_000);
      payloads.put('shop', { objects: after });
    },
    async check({ client }) {
      const found = (await managed(client)).map(({ kind, metadata }) => `${kind} ${metadata.name}`).sort();
      const wanted = course === 'install' ? before : after;
      const names = wanted.map(({ kind, metadata }) => `${kind} ${metadata.name}`).sort();
      const isKept = (name: string) => kept.includes(name.split(' ')[0] ?? '');
      assert.deepEqual(found, course === 'uninstall' ? names.filter(isKept) : names);
      assert.equal(
        (await client.list(InstallManifest)).items.length,
        course === 'uninstall' ? 0 : 2,
        'InstallManifests',
      );
      const connectors = (await client.list(Connector)).items;
      assert.deepEqual(
        connectors.map(({ status }) => isConditionTrue(status?.conditions, 'Ready')),
        course === 'uninstall' ? [] : [true],
        'Connectors that are Ready',
      );
      for (const { kind, metadata } of await managed(client)) {
        const name = `${kind} ${metadata.name}`;
        if (isKept(name) && uids.size > 0) assert.equal(metadata.uid, uids.get(name), `${name} was recreated`);
      }
      if (course === 'uninstall' || course === 'install') return;
      const map = await client.get(kinds.ConfigMap, { namespace, name: 'both' });
      assert.deepEqual({ ...map.data }, { a: '2' });
      assert.equal(map.metadata.labels?.['team'], course === 'change' ? 'red' : undefined);
    },
  };
}

export const courses: readonly Course[] = ['install', 'change', 'upgrade', 'uninstall'];
