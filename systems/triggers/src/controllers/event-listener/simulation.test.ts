import { simulate } from '@tektite/simulator';
import { describe, it } from 'vitest';
import { listenerScenario } from './simulation.cases.ts';

/** `SEEDS=1000 npx vitest run systems/triggers/src/controllers` for a long night. */
const seeds = Number(process.env.SEEDS ?? 10);

describe('controllers of listeners that are killed and cheated', { timeout: 300_000 }, () => {
  it('get every listener served, with its Service and its address', async () => {
    for (let seed = 1; seed <= seeds; seed++) await simulate(listenerScenario(), { seed });
  });
});
