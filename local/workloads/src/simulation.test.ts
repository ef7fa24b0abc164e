import { type Scenario, simulate } from '@tektite/simulator';
import { describe, it } from 'vitest';
import { deployments, families, jobs } from './simulation.cases.ts';

/** `SEEDS=500 npx vitest run local/workloads` for a long night. */
const seeds = Number(process.env['SEEDS'] ?? 4);

async function run(world: Scenario): Promise<void> {
  for (let seed = 1; seed <= seeds; seed++) await simulate(world, { seed });
}

/** Crash at each of the first writes, before and after the server has done it. */
async function crashEverywhere(world: Scenario, writes: number): Promise<void> {
  for (let write = 1; write <= writes; write++)
    for (const when of ['before', 'after'] as const)
      await simulate(world, { seed: 1, rates: {}, crash: { write, when } });
}

describe('whatever fails and whenever the process dies', { timeout: 60_000 + 30_000 * seeds }, () => {
  it('Deployments have their Pods, and nothing is left behind', () => run(deployments()));
  // docs/simulation-log.md says what was wrong.
  it.each([22, 96])('Deployments are at rest in the end, where they were not once: seed %i', async (seed) => {
    await simulate(deployments(), { seed });
  });
  it('Deployments survive a crash at any write', () => crashEverywhere(deployments(), seeds + 2));
  it('Jobs count every Pod once', () => run(jobs()));
  it('Jobs survive a crash at any write', () => crashEverywhere(jobs(), seeds + 2));
  it('garbage goes, and nothing else', () => run(families()));
});
