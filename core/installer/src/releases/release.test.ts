import { keyOf, kinds } from '@tektite/client';
import { injectNamespace } from '@tektite/manifest';
import { type DynamicObject, hasOwner, sleep, systemClock } from '@tektite/meta';
import { startControlPlane, type VirtualClock, virtualClock } from '@tektite/testkit';
import { startSimulatedCluster } from '@tektite/testkit/cluster';
import { describe, expect, it } from 'vitest';
import { connectorsDialect } from '../dialects/test-support.ts';
import { removeSet } from '../remove-set.ts';
import { TestSet } from '../test-support.ts';
import {
  changes,
  dialects,
  hasKubectl,
  hasReleases,
  kubectlChange,
  live,
  needs,
  objectsOf,
  readAll,
  release,
} from './test-support.ts';

const kept = ['CustomResourceDefinition', 'Namespace'];

/** Runs a set as a controller would, until it is ready. */
async function untilReady(set: TestSet, clock: VirtualClock): Promise<void> {
  for (let turn = 0; turn < 300; turn++) {
    const report = await clock.until(set.run());
    if (report.ready && report.result.type === 'done') return;
    await clock.advance(1_000);
    // Folders of Pods are made in the time of the machine.
    await sleep(systemClock, 10);
  }
  throw new Error(`it did not become ready: ${set.condition('Ready')}`);
}

/** As its finalizer and the garbage collector would. */
async function untilRemoved(set: TestSet, clock: VirtualClock): Promise<void> {
  for (let turn = 0; turn < 60; turn++) {
    if ((await removeSet(set.client, set, set.dialect)).done) break;
    await clock.advance(1_000);
  }
  await set.client.delete(set.self, keyOf(set.self), { propagationPolicy: 'Foreground' });
  await clock.advance(10_000);
}

describe.skipIf(!hasReleases)('the Tekton release (from ../shared, skipped where that is absent)', () => {
  it.skipIf(!hasKubectl).each(changes)(
    'is what kubectl makes of the same files (%s from %s to %s; skipped where kubectl is absent)',
    async (component, before, after) => {
      const [first, second] = [`${component}/${before}`, `${component}/${after}`];
      await using theirs = await startControlPlane();
      await kubectlChange(theirs, [...needs(component), first, second]);
      for (const [, dialect] of dialects) {
        const clock = virtualClock();
        await using cluster = await startSimulatedCluster({ clock });
        for (const path of needs(component))
          await untilReady(await TestSet.create(cluster.client, dialect, 'base', await objectsOf(path)), clock);
        const set = await TestSet.create(cluster.client, dialect, 'release', await objectsOf(first));
        await untilReady(set, clock);
        expect((await set.run()).changes).toEqual([]);
        set.objects = await objectsOf(second);
        await untilReady(set, clock);
        expect((await set.run()).changes).toEqual([]);
        expect(await readAll(cluster.client, set.objects)).toEqual(await readAll(theirs.client, set.objects));
      }
    },
    120_000,
  );

  it.each(dialects)(
    'is replaced by a new set without a loss of definitions and what users made of them (%s)',
    async (_name, dialect) => {
      const clock = virtualClock();
      await using cluster = await startSimulatedCluster({ clock });
      const { client } = cluster;
      const old = await TestSet.create(client, dialect, 'old', await objectsOf('tekton-pipeline/v1.14.1'));
      await untilReady(old, clock);
      const task: DynamicObject = {
        apiVersion: 'tekton.dev/v1',
        kind: 'Task',
        metadata: { namespace: 'default', name: 'mine' },
      };
      const mine = await client.create({ ...task, spec: { steps: [{ name: 's', image: 'busybox' }] } });
      const definition = await client.get(kinds.CustomResourceDefinition, { name: 'tasks.tekton.dev' });
      await untilRemoved(old, clock);
      const left = await Promise.all(old.objects.map((object) => live(client, object)));
      expect([...new Set(left.flatMap((object) => object?.kind ?? []))].toSorted()).toEqual(kept);
      expect((await client.list(kinds.Pod)).items).toEqual([]);
      expect((await client.list(kinds.ReplicaSet)).items).toEqual([]);

      const fresh = await TestSet.create(client, dialect, 'fresh', await objectsOf('tekton-pipeline/v1.15.0'));
      await untilReady(fresh, clock);
      expect((await live(client, task))?.metadata.uid).toBe(mine.metadata.uid);
      const now = await client.get(kinds.CustomResourceDefinition, { name: 'tasks.tekton.dev' });
      expect(now.metadata.uid).toBe(definition.metadata.uid);
      expect(JSON.stringify(now.metadata.labels)).toContain('v1.15.0');
      const owned = await Promise.all(fresh.objects.map((object) => live(client, object)));
      for (const object of owned.filter((each) => each && !kept.includes(each.kind) && !each.kind.includes('Webhook')))
        expect(hasOwner(object as DynamicObject, fresh.self)).toBe(true);
    },
    60_000,
  );

  it('moves to another namespace, and leaves nothing but the namespace behind', async () => {
    const clock = virtualClock();
    await using cluster = await startSimulatedCluster({ clock });
    const { client } = cluster;
    const manifest = await release('tekton-pipeline/v1.15.0');
    const namespaced = manifest.filter(({ metadata }) => metadata.namespace !== 'tekton-pipelines-resolvers');
    const set = await TestSet.create(client, connectorsDialect, 'moving', namespaced.objects);
    await untilReady(set, clock);
    const before = set.objects;
    set.objects = namespaced.transform(injectNamespace('ci')).objects;
    await untilReady(set, clock);
    await clock.advance(10_000);
    const was = before.filter(({ metadata }) => metadata.namespace === 'tekton-pipelines');
    expect(was.length).toBeGreaterThan(20);
    expect((await Promise.all(was.map((object) => live(client, object)))).filter(Boolean)).toEqual([]);
    expect((await client.list(kinds.Pod)).items.map(({ metadata }) => metadata.namespace)).toEqual(['ci', 'ci', 'ci']);
    expect(
      await live(client, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'tekton-pipelines' } }),
    ).toBeDefined();
    const binding = await client.get(kinds.ClusterRoleBinding, { name: 'tekton-pipelines-controller-cluster-access' });
    expect(binding.subjects?.map(({ namespace }) => namespace)).toEqual(['ci']);
    expect((await set.run()).changes).toEqual([]);
  }, 60_000);
});
