import assert from 'node:assert/strict';
import { type Client, jsonPatch, kinds, mergePatch, type ObjectKey } from '@tektite/client';
import { type ControllerDefinition, installKinds, Manager } from '@tektite/controller';
import { isConditionTrue, isControlledBy } from '@tektite/meta';
import type { Scenario, World } from '@tektite/simulator';
import { Memcached } from './memcached.ts';
import { smallCluster } from './test-support.ts';

const namespace = 'default';
const names = ['a', 'b', 'c'];

/** Users who create, resize, delete and create again, at any moment. */
export function cacheScenario(controller: ControllerDefinition): Scenario {
  const wanted = new Map<string, number>();
  return {
    async prepare({ client }) {
      wanted.clear();
      await installKinds(client, [Memcached]);
      smallCluster(client, 5000).start();
    },
    async start(client) {
      const manager = new Manager(client, { name: 'memcached-operator', graceMs: 0 });
      manager.add(controller);
      manager.start();
    },
    async act(world) {
      for (let i = 0; i < 12; i++) {
        await userAct(world, wanted);
        await world.sleep(world.random.next() * 20_000);
      }
    },
    check: (world) => mustBeAsWanted(world, wanted),
  };
}

const backup = 'users.example.com/backup';

async function userAct({ client, random, sleep }: World, wanted: Map<string, number>): Promise<void> {
  const name = names[Math.floor(random.next() * names.length)] ?? '';
  const key = { namespace, name };
  const old = await client.get(Memcached, key).catch(() => undefined);
  // One that is still on its way out cannot be wanted again yet.
  if (old?.metadata.deletionTimestamp) return;
  if (old && random.next() < 0.3) {
    wanted.delete(name);
    await deleteWithBackup(client, key, () => sleep(30_000));
    return;
  }
  const size = Math.floor(random.next() * 4);
  wanted.set(name, size);
  await client.apply(Memcached, { metadata: key, spec: { size } }, { force: true });
}

/** The user has a finalizer too, which no other client may remove. */
async function deleteWithBackup(client: Client, key: ObjectKey, makeBackup: () => Promise<void>): Promise<void> {
  const finalizers = (more: string[]) =>
    jsonPatch(more.map((value) => ({ op: 'add', path: '/metadata/finalizers/-', value })));
  const { metadata } = await client.get(Memcached, key);
  if (metadata.finalizers) await client.patch(Memcached, key, finalizers([backup]));
  else await client.patch(Memcached, key, mergePatch({ metadata: { finalizers: [backup] } }));
  await client.delete(Memcached, key);
  await makeBackup();
  for (;;) {
    const dying = await client.get(Memcached, key).catch(() => undefined);
    if (!dying?.metadata.finalizers?.includes(backup)) throw new Error(`${key.name} went before its backup was made`);
    const left = dying.metadata.finalizers.filter((name) => name !== backup);
    const { resourceVersion } = dying.metadata;
    const patch = mergePatch({ metadata: { resourceVersion, finalizers: left } });
    if (
      await client.patch(Memcached, key, patch).then(
        () => true,
        () => false,
      )
    )
      return;
  }
}

async function mustBeAsWanted({ client }: World, wanted: ReadonlyMap<string, number>): Promise<void> {
  const caches = (await client.list(Memcached)).items;
  const deployments = (await client.list(kinds.Deployment)).items;
  assert.deepEqual(
    caches.map(({ metadata }) => metadata.name),
    [...wanted.keys()].sort(),
  );
  assert.equal(deployments.length, wanted.size, 'Deployments');
  for (const cache of caches) {
    const { name = '' } = cache.metadata;
    const size = wanted.get(name);
    const own = deployments.filter((deployment) => isControlledBy(deployment, cache));
    assert.deepEqual(
      own.map(({ spec }) => spec?.replicas),
      [size],
      `replicas of ${name}`,
    );
    assert.equal(cache.status?.nodes?.length, size ?? 0, `nodes of ${name}`);
    assert.ok(isConditionTrue(cache.status?.conditions, 'Available'), `${name} is not available`);
    assert.deepEqual(cache.metadata.finalizers, ['cache.example.com/finalizer']);
  }
}
