import { kinds } from '@tektite/client';
import { controllerReference, type KubeObject } from '@tektite/meta';
import { describe, expect, it } from 'vitest';
import type { Scenario } from '../run/scenario.ts';
import { tryScenario } from '../run/simulate.ts';
import type { World } from '../world/world.ts';
import { finishedStays, neverMoreThan, neverTwice } from './object-rules.ts';

const key = (name: string) => ({ namespace: 'default', name });
const create = ({ client }: World, name: string, data = {}) =>
  client.create(kinds.ConfigMap, { metadata: key(name), data });
const dataOf = (object: KubeObject) => (object as { data?: Record<string, string> }).data ?? {};

/** Programs that break one promise each. */
const broken: Record<string, Scenario> = {
  check: {
    act: async () => undefined,
    check: async () => {
      throw new Error('no');
    },
  },
  'a finished ConfigMap never changes': {
    act: async (world) => {
      const made = await create(world, 'a', { done: 'yes' });
      await world.client.update(kinds.ConfigMap, { ...made, data: { done: 'yes', more: '1' } });
    },
    rules: [finishedStays('ConfigMap', (object) => dataOf(object)['done'] === 'yes', dataOf)],
  },
  'one for each attempt': {
    act: async (world) => {
      await create(world, 'a', { attempt: '1' });
      await create(world, 'b', { attempt: '1' });
    },
    rules: [neverTwice('ConfigMap', 'one for each attempt', (object) => dataOf(object)['attempt'])],
  },
  'never more than 1 of ConfigMap at once': {
    act: async (world) => {
      for (const name of ['a', 'b']) await create(world, name, { counts: 'yes' });
    },
    rules: [neverMoreThan('ConfigMap', 1, (object) => dataOf(object)['counts'] === 'yes')],
  },
  'no object is orphaned': {
    prepare: ({ component }) => component('kube-controller-manager', async () => undefined).then(() => undefined),
    act: async (world) => {
      const owner = await create(world, 'owner');
      const ownerReferences = [controllerReference(owner)];
      await world.client.create(kinds.ConfigMap, { metadata: { ...key('owned'), ownerReferences } });
      await world.client.delete(kinds.ConfigMap, key('owner'));
    },
  },
  'hot loop': {
    start: async (client) => {
      const { metadata } = await client.create(kinds.ConfigMap, { metadata: key('loop') });
      for (let count = 0; ; count++)
        await client.update(kinds.ConfigMap, {
          metadata: { ...key('loop'), uid: metadata.uid ?? '' },
          data: { count: `${count}` },
        });
    },
    rates: {},
    act: async ({ sleep }) => sleep(600_000),
  },
  rest: {
    start: async (client) => {
      const write = () => {
        void client.create(kinds.ConfigMap, { metadata: { namespace: 'default', generateName: 'x-' } });
        client.clock.setTimer(60_000, write);
      };
      write();
    },
    rates: {},
    act: async () => undefined,
  },
};

describe('a program is found out', () => {
  it.each(Object.keys(broken))('that breaks this promise: %s', async (oracle) => {
    expect((await tryScenario(broken[oracle] as Scenario, { seed: 1 })).failure?.oracle).toBe(oracle);
  });
});

it('a program without faults passes', async () => {
  const fine: Scenario = { isFixed: true, act: async (world) => void (await create(world, 'a')) };
  expect((await tryScenario(fine, { seed: 1 })).failure).toBeUndefined();
});
