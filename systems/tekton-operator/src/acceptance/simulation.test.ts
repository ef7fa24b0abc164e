import { simulate } from '@tektite/simulator';
import { describe, it } from 'vitest';
import { upgradeScenario } from './simulation.cases.ts';

/** `SEEDS=1000 npx vitest run systems/tekton-operator/src/acceptance/simulation` for a long night. */
const seeds = Number(process.env.SEEDS ?? 6);

describe('an operator that is killed and cheated during an upgrade', { timeout: 600_000 }, () => {
  it.each(['recreate', 'rolling'])('gets to the new version and to rest, with the strategy %s', async (strategy) => {
    for (let seed = 1; seed <= seeds; seed++) await simulate(upgradeScenario(strategy), { seed });
  });
});
