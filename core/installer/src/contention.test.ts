import { keyOf, kinds, mergePatch } from '@tektite/client';
import { controllerOf, seededRandom } from '@tektite/meta';
import { type ControlPlane, type FaultRates, faultyTransport, startControlPlane, virtualClock } from '@tektite/testkit';
import { describe, expect, it } from 'vitest';
import { connectorsDialect, tektonDialect } from './dialects/test-support.ts';
import { clusterRole, configMap, deployment, job, makeReady, TestSet } from './test-support.ts';

/** `SEEDS=500 npx vitest run core/installer/src/contention.test.ts` for a long night. */
const seeds = Number(process.env['SEEDS'] ?? 10);
const objects = [clusterRole('shared'), configMap('shared'), job('shared'), deployment('shared')];

function faulty(plane: ControlPlane, seed: number, rates: FaultRates) {
  const { clock } = plane;
  const transport = faultyTransport(plane.transport(), { clock, random: seededRandom(seed), rates, maxDelayMs: 200 });
  return { transport, client: plane.clientFor(transport) };
}

describe('two operators at once', () => {
  it.each([
    ['tekton', tektonDialect],
    ['connectors', connectorsDialect],
  ] as const)('on one set make it once, and then agree (%s)', async (_name, dialect) => {
    for (let seed = 1; seed <= seeds; seed++) {
      const clock = virtualClock();
      await using plane = await startControlPlane({ clock, seed });
      const set = await clock.until(TestSet.create(plane.client, dialect, 'set', objects));
      const both = [1, 2].map((n) => faulty(plane, seed * 10 + n, { delay: 0.7 }).client);
      const first = await clock.until(Promise.all(both.map((client) => set.run(client))));
      const made = first.flatMap(({ changes }) => changes.filter(({ action }) => action === 'created'));
      const names = made.map(({ object }) => object.kind).toSorted();
      expect(new Set(names).size, `seed ${seed}`).toBe(names.length);
      set.objects = [
        clusterRole('shared', ['list']),
        configMap('shared', { a: '2' }),
        job('shared'),
        deployment('shared', { image: 'web:2' }),
      ];
      await clock.until(Promise.all(both.map((client) => set.run(client))));
      await clock.until(Promise.all(both.map((client) => set.run(client))));
      const last = await clock.until(set.run());
      expect(last.changes, `seed ${seed}`).toEqual([]);
      expect((await plane.client.get(kinds.ConfigMap, { namespace: 'default', name: 'shared' })).data).toEqual({
        a: '2',
      });
    }
  });

  it.each([
    ['ClusterRole', clusterRole('shared'), 'ClustersScoped'],
    ['Deployment', deployment('shared'), 'DeploymentsAvailable'],
  ])(
    'on two sets with the same %s: it has one owner for ever, and the other set says so',
    async (kind, object, type) => {
      for (let seed = 1; seed <= seeds; seed++) {
        const clock = virtualClock();
        await using plane = await startControlPlane({ clock, seed });
        const { client } = plane;
        const make = (name: string) => TestSet.create(client, connectorsDialect, name, [object]);
        const sets = await clock.until(Promise.all(['one', 'two'].map(make)));
        const owner = async () => controllerOf(await client.get(object, keyOf(object)))?.name;
        const clients = [1, 2].map((n) => faulty(plane, seed * 10 + n, { delay: 0.7 }).client);
        const turn = () => clock.until(Promise.all(sets.map((set, index) => set.run(clients[index]))));
        await turn();
        const before = await owner();
        for (let again = 0; again < 3; again++) {
          await turn();
          expect(await owner(), `seed ${seed}`).toBe(before);
        }
        const [winner, loser] = before === 'one' ? sets : sets.toReversed();
        expect(winner?.condition(type)).toMatch(/^True Installed|DeploymentNotReady/);
        const name = kind === 'Deployment' ? 'Deployment default/shared' : 'ClusterRole shared';
        expect(loser?.condition(type)).toBe(
          `False OwnershipConflict ${name}: ${kind} shared is controlled by Set ${before}`,
        );
      }
    },
  );
});

describe('a network on which requests and answers get lost', () => {
  it('delays an installation, and changes nothing about its end', async () => {
    for (let seed = 1; seed <= seeds; seed++) {
      const clock = virtualClock();
      await using plane = await startControlPlane({ clock, seed });
      const set = await clock.until(TestSet.create(plane.client, connectorsDialect, 'set', objects));
      const rates = { refuse: 0.1, lose: 0.1, conflict: 0.15, fail: 0.1, delay: 0.3 };
      const { client, transport } = faulty(plane, seed, rates);
      for (let turn = 0; turn < 5; turn++) {
        await clock.until(set.run(client).catch(() => undefined));
        const key = { namespace: 'default', name: 'shared' };
        await plane.client
          .patch(kinds.ConfigMap, key, mergePatch({ data: { mine: String(turn) } }))
          .catch(() => undefined);
        set.objects = [...objects.slice(0, 3), deployment('shared', { image: `web:${turn}` })];
      }
      transport.heal();
      await clock.until(set.run(client));
      await makeReady(plane.client, 'shared');
      expect(await clock.until(set.run(client)), `seed ${seed}`).toMatchObject({ ready: true, changes: [] });
      expect(set.inventory.map(({ kind }) => kind)).toEqual(['ClusterRole', 'ConfigMap', 'Job', 'Deployment']);
      const live = await plane.client.get(kinds.Deployment, { namespace: 'default', name: 'shared' });
      expect(live.spec?.template.spec?.containers?.[0]?.image).toBe('web:4');
    }
  });
});
