import { readFileSync } from 'node:fs';
import { kinds, mergePatch } from '@tektite/client';
import { type CachedSource, type ControllerDefinition, defineController } from '@tektite/controller';
import { formatTime } from '@tektite/meta';
import type { Deployment, Pod } from '@tektite/schema/kubernetes';
import { fileScenario, readScenario, simulate } from '@tektite/simulator';
import { describe, expect, it } from 'vitest';
import { memcachedController } from './controller.ts';
import { deploymentFor, statusFor } from './decide.ts';
import { system } from './index.ts';
import { Memcached } from './memcached.ts';
import { cacheScenario } from './simulation.cases.ts';

/** `SEEDS=5000 npx vitest run examples` for a long night. */
const seeds = Number(process.env['SEEDS'] ?? 60);
const namespace = 'default';

describe('the operator', () => {
  it(`ends up where its users want it, whatever goes wrong on the way (${seeds} seeds)`, {
    timeout: 600_000,
  }, async () => {
    let crashes = 0;
    for (let seed = 1; seed <= seeds; seed++)
      crashes += (await simulate(cacheScenario(memcachedController), { seed })).crashes;
    expect(crashes).toBeGreaterThan(seeds / 4);
  });

  it('survives a crash at every one of its writes, before and after it', { timeout: 120_000 }, async () => {
    for (const when of ['before', 'after'] as const) {
      let crashes = 1;
      let write = 0;
      while (crashes > 0) {
        write++;
        const report = await simulate(cacheScenario(memcachedController), {
          seed: 7,
          crash: { write, when },
          rates: {},
        });
        crashes = report.crashes;
      }
      expect(write).toBeGreaterThan(10);
    }
  });
});

describe('the operator on a whole cluster', () => {
  const file = new URL('../simulations/owners-deleted.yaml', import.meta.url);
  const scenario = fileScenario(readScenario(readFileSync(file, 'utf8')), () => [system]);

  // Pods outlived a ReplicaSet that was created and deleted in a gap of the garbage collector's watch.
  it.each([54, 83])('leaves nothing behind that has lost its owner: seed %i', async (seed) => {
    await simulate(scenario, { seed });
  });
});

const real = memcachedController as unknown as ControllerDefinition<Memcached, Memcached>;
const [deployments, pods] = real.sources as [CachedSource<Deployment>, CachedSource<Pod>];
const noted = 'cache.example.com/deployment';

/** Well-known bugs of operators, in copies of the real one. */
const bugs: Record<string, () => ControllerDefinition> = {
  'remembers by name what it has done, and takes a new object for the old one': () => {
    const applied = new Map<string, number>();
    return defineController<Memcached>({
      ...real,
      async reconcile(memcached, context) {
        if (applied.get(context.key) === memcached.spec.size) return;
        await real.reconcile(memcached, context);
        const [deployment] = context.cache(deployments).ownedBy(memcached);
        if (deployment?.status?.readyReplicas === memcached.spec.size) applied.set(context.key, memcached.spec.size);
      },
    });
  },
  'takes away all finalizers when it is done with its own': () =>
    defineController<Memcached>({
      ...real,
      finalizer: {
        name: 'cache.example.com/finalizer',
        async cleanup({ metadata }, { client, name }) {
          const patch = mergePatch({ metadata: { resourceVersion: metadata.resourceVersion, finalizers: null } });
          await client.patch(Memcached, { namespace, name }, patch);
        },
      },
    }),
  'creates its Deployment again when it died before it had noted the first one': () =>
    defineController<Memcached>({
      ...real,
      async reconcile(memcached, { client, clock, cache, key, name, writeStatus }) {
        const wanted = deploymentFor(memcached);
        const known = memcached.metadata.annotations?.[noted];
        if (!known) {
          const { name: _, ...metadata } = wanted.metadata;
          const unnamed = { ...wanted, metadata: { ...metadata, generateName: `${name}-` } };
          const made = await client.create(kinds.Deployment, unnamed as unknown as Deployment);
          const annotations = { [noted]: made.metadata.name };
          await client.patch(Memcached, { namespace, name }, mergePatch({ metadata: { annotations } }));
          return;
        }
        await client.apply(
          kinds.Deployment,
          { ...wanted, metadata: { ...wanted.metadata, name: known } },
          { force: true },
        );
        const [deployment] = cache(deployments).ownedBy(memcached);
        const nodes = cache(pods).byIndex('instance', key);
        await writeStatus(memcached, statusFor(memcached, deployment, nodes, formatTime(clock.now())));
      },
    }),
  'does not reconcile when the Deployment gets ready': () =>
    defineController<Memcached>({
      ...real,
      sources: [],
      async reconcile(memcached, { client, clock, writeStatus, name }) {
        const deployment = await client.apply(kinds.Deployment, deploymentFor(memcached), { force: true });
        const labelSelector = `app.kubernetes.io/instance=${name}`;
        const nodes = (await client.list(kinds.Pod, { namespace, labelSelector })).items;
        await writeStatus(memcached, statusFor(memcached, deployment, nodes, formatTime(clock.now())));
      },
    }),
};

describe('a bug in an operator', () => {
  it.each(Object.keys(bugs))(
    'is found by some seed, and found again by the same: %s',
    { timeout: 300_000 },
    async (title) => {
      const outcome = (seed: number) =>
        simulate(cacheScenario(bugs[title]?.() ?? memcachedController), { seed }).then(
          () => undefined,
          (error: Error) => error.message,
        );
      let found: string | undefined;
      let seed = 0;
      while (found === undefined && seed < seeds) found = await outcome(++seed);
      expect(found ?? 'no seed found it').toContain(`seed ${seed}: `);
      expect(await outcome(seed)).toBe(found);
    },
  );
});
