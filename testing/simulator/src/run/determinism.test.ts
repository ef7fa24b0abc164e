import { kinds } from '@tektite/client';
import { describe, expect, it } from 'vitest';
import { addBuiltInControllers } from '../world/built-in-controllers.ts';
import type { Scenario } from './scenario.ts';
import { tryScenario } from './simulate.ts';

const template = (image: string) => ({
  metadata: { labels: { app: 'a' } },
  spec: { containers: [{ name: 'main', image }] },
});

/** A whole cluster: API server, built-in controllers, two nodes, users; faults on all components. */
const cluster: Scenario = {
  hasServiceAccounts: true,
  restless: ['node-1', 'node-2'],
  interference: { delete: ['Pod'], touch: ['ReplicaSet'], quota: true },
  prepare: (world) => addBuiltInControllers(world, { nodes: ['node-1', 'node-2'] }),
  async act({ client, sleep }) {
    const key = { namespace: 'default', name: 'a' };
    for (const image of ['one', 'two']) {
      const spec = { replicas: 2, selector: { matchLabels: { app: 'a' } }, template: template(image) };
      await client.apply(kinds.Deployment, { metadata: key, spec }, { force: true });
      await sleep(60_000);
    }
  },
};

describe('a run', () => {
  it('writes the same history for the same seed, byte for byte', async () => {
    const texts = [];
    for (let i = 0; i < 2; i++)
      for (const seed of [1, 2]) {
        const { history, faults, crashes } = await tryScenario(cluster, { seed });
        expect(faults.length).toBeGreaterThan(20);
        texts.push(`${history.text()}\n${faults.join('\n')}\n${crashes}`);
      }
    expect(texts[2]).toBe(texts[0]);
    expect(texts[3]).toBe(texts[1]);
    expect(texts[1]).not.toBe(texts[0]);
  });

  it('is repeated by the list of its faults, without the rates that chose them', async () => {
    const first = await tryScenario(cluster, { seed: 3 });
    const again = await tryScenario(cluster, { seed: 3, faults: first.struck, rates: {} });
    expect(again.history.text()).toBe(first.history.text());
  });
});
